import pg from 'pg';
import { superuser } from './cluster.ts';

export const databaseName = 'tradewind';
/** Owns the database and has no rights outside of it: no files, no programs, no other roles. */
export const serviceRole = 'tradewind_service';

/** Creates the service's role and database. Objects that an earlier version gave to the superuser go to the role. */
export async function prepareService(adminUrl: string, password: string): Promise<void> {
  await withClient(adminUrl, async (admin) => {
    const { rowCount: roles } = await admin.query('select from pg_roles where rolname = $1', [serviceRole]);
    if (roles === 0) await admin.query(`create role ${serviceRole}`);
    const rights = 'login nosuperuser nocreatedb nocreaterole noreplication nobypassrls';
    await admin.query(`alter role ${serviceRole} ${rights} password ${pg.escapeLiteral(password)}`);
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [databaseName]);
    if (rowCount === 0) await admin.query(`create database ${databaseName} owner ${serviceRole}`);
    else await admin.query(`alter database ${databaseName} owner to ${serviceRole}`);
  });
  const url = new URL(adminUrl);
  url.pathname = `/${databaseName}`;
  await withClient(url.href, (admin) => admin.query(REASSIGN_OWNERSHIP));
}

/** Sequences of a column follow their table; `reassign owned` refuses a role that owns the catalog. */
const REASSIGN_OWNERSHIP = `do $$
declare
  command text;
begin
  for command in
    with own as (select oid from pg_roles where rolname = '${superuser}'),
      spaces as (select oid, nspname, nspowner from pg_namespace
        where nspname !~ '^pg_' and nspname <> 'information_schema')
    select format('alter schema %I owner to ${serviceRole}', nspname) from spaces where nspowner in (table own)
    union all
    select format('alter %s %I.%I owner to ${serviceRole}',
        case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
        nspname, relname)
      from pg_class c join spaces s on s.oid = relnamespace
      where relowner in (table own) and relkind in ('r', 'p', 'v', 'm', 'S') and not exists (select from pg_depend
        where classid = 'pg_class'::regclass and objid = c.oid and relkind = 'S' and deptype in ('a', 'i'))
    union all
    select format('alter routine %s owner to ${serviceRole}', p.oid::regprocedure)
      from pg_proc p join spaces s on s.oid = pronamespace where proowner in (table own)
    union all
    select format('alter type %I.%I owner to ${serviceRole}', nspname, typname)
      from pg_type join spaces s on s.oid = typnamespace where typowner in (table own) and typtype in ('e', 'd')
  loop
    execute command;
  end loop;
end $$`;

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
