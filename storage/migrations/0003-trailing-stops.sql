-- The distance, in hundredths of a percent, of a stop that the exchange trails; null for every other order.
alter table orders add column trailing_delta integer;
