-- The drift watch and the shadow replay become one comparison of live trading with what was tested. Each profile has one
-- row, made of its two reports, and a receipt goes into the audit log.

create table live_comparisons (
  profile_id uuid primary key references profiles on delete cascade,
  -- Since when a new one waits or is made.
  requested_at timestamptz,
  error text,
  -- Results since a backtest became the reference, compared with its results.
  reference jsonb,
  -- The last day, replayed with the settings of its time.
  day jsonb
);

insert into live_comparisons (profile_id, requested_at, error, reference, day)
  select profile_id, shadow.requested_at, shadow.error, drift.report, shadow.report
  from (select * from profile_reports where kind = 'drift') as drift
  full join (select * from profile_reports where kind = 'shadow') as shadow using (profile_id);

insert into audit_logs (id, user_id, action, subject, before, after, ip, user_agent)
  select gen_random_uuid(), null, 'live-comparison.merged', 'profile_reports',
    jsonb_build_object('drift', count(*) filter (where kind = 'drift'), 'shadow', count(*) filter (where kind = 'shadow')),
    jsonb_build_object('comparisons', (select count(*) from live_comparisons)), '', ''
  from profile_reports having count(*) > 0;

drop table profile_reports;
