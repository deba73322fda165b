-- False from a restore until the coin has been compared with what was executed on the exchange since the backup.
alter table runner_states add column compared boolean not null default true;
