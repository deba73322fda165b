-- When the exchange behind a test account was found reset; null once the operator has confirmed that it may go on.
alter table accounts add column reset_at timestamptz;

-- Everything that stops entries: kill switches, and a reset that nobody has confirmed.
create view halts as
select scope, subject, reason, freeze_exits, cancel_entries, engaged_at, false as is_reset from kill_switches
union all
select 'account', id::text, 'The exchange was reset: confirm that the account may go on.', false, false, reset_at, true
from accounts where reset_at is not null;

-- `outside`: what came into the wallet or left it without an order of this service.
alter table ledger_entries drop constraint ledger_entries_book_check;
alter table ledger_entries add constraint ledger_entries_book_check
  check (book in ('wallet', 'market', 'fees', 'adjustments', 'outside'));
