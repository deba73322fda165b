-- Null while the value in quote of a fee paid in a third asset is not known.
alter table fills alter column fee_quote drop not null;
update fills set fee_quote = null
where fee_amount > 0 and fee_quote = 0 and right(symbol, length(fee_asset)) <> fee_asset and not starts_with(symbol, fee_asset);
