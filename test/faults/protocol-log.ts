import { z } from 'zod';
import type { Database } from '#storage/postgres/database.ts';

/**
 * Columns whose changes are protocol steps, by table. Each statement writes its row of the log while it holds the locks
 * that order it against other steps (kill switch, lease, row), so the order of the log is an order in which the steps
 * can have happened.
 */
const WATCHED: Readonly<Record<string, readonly string[]>> = {
  orders: [
    ...['id', 'client_order_id', 'symbol', 'side', 'purpose', 'quantity', 'state', 'exchange_order_id'],
    ...['filled_quantity', 'fencing', 'halt_order', 'send_before', 'list_id'],
  ],
  fills: ['order_id', 'symbol', 'trade_id', 'exchange_order_id', 'quantity'],
  runner_states: ['symbol', 'quantity', 'compared'],
  kill_switches: ['scope', 'freeze_exits'],
  account_leases: ['fencing'],
  position_adjustments: ['symbol', 'quantity'],
};

/** A restore replaces the tables: when they are moved into place, they get their triggers again. */
const INSTALL = `
  create schema protocol;
  create table protocol.log (
    seq bigserial primary key, at timestamptz not null default clock_timestamp(),
    transaction text not null default pg_current_xact_id()::text, kind text not null, detail jsonb not null);
  create function protocol.pick(entry jsonb, names text[]) returns jsonb language sql immutable as
    $$ select jsonb_object_agg(name, entry ->> name) from unnest(names) name $$;
  create function protocol.note() returns trigger language plpgsql as $$
  declare
    before jsonb := case when tg_op = 'INSERT' then null else protocol.pick(to_jsonb(old), tg_argv) end;
    after jsonb := case when tg_op = 'DELETE' then null else protocol.pick(to_jsonb(new), tg_argv) end;
  begin
    if tg_table_schema = 'public' and before is distinct from after then
      insert into protocol.log (kind, detail) values (tg_table_name || ' ' || lower(tg_op), coalesce(after, before));
    end if;
    return null;
  end $$;
  create function protocol.watch(name text) returns void language plpgsql as $$
  declare names text[];
  begin
    ${Object.entries(WATCHED)
      .map(([table, names]) => `if name = '${table}' then names := '{${names.join(',')}}'; end if;`)
      .join('\n    ')}
    if names is null then return; end if;
    execute format('create trigger protocol_note after insert or update or delete on public.%I
      for each row execute function protocol.note(%s)', name, (select string_agg(quote_literal(each), ', ') from unnest(names) each));
  end $$;
  create function protocol.follow() returns event_trigger language plpgsql as $$
  declare moved record;
  begin
    for moved in select object_identity as name from pg_event_trigger_ddl_commands()
        where object_type = 'table' and schema_name = 'public' loop
      if moved.name = 'public.orders' then
        insert into protocol.log (kind, detail) select 'restored', jsonb_build_object('orders', coalesce(jsonb_agg(
          jsonb_build_object('id', id, 'state', state, 'filled_quantity', filled_quantity::text,
            'exchange_order_id', exchange_order_id::text)), '[]')) from public.orders;
      end if;
      if not exists (select from pg_trigger where tgname = 'protocol_note' and tgrelid = moved.name::regclass) then
        perform protocol.watch(split_part(moved.name, '.', 2));
      end if;
    end loop;
  end $$;
  ${Object.keys(WATCHED)
    .map((table) => `select protocol.watch('${table}');`)
    .join('\n  ')}
  create event trigger protocol_follow on ddl_command_end when tag in ('ALTER TABLE') execute function protocol.follow();
`;

/** `atMs`: wall time with fractions, before the commit. `transaction`: the id of the transaction that the step is part of. */
const row = z.object({ atMs: z.number(), transaction: z.string(), kind: z.string(), detail: z.unknown() });
export type LoggedStep = z.output<typeof row>;

/** Protocol steps of a database in a table of the database itself; needs a superuser. */
export interface ProtocolLog {
  clear(): Promise<void>;
  read(): Promise<LoggedStep[]>;
}

export async function openProtocolLog({ pool }: Database): Promise<ProtocolLog> {
  await pool.query(INSTALL);
  return {
    clear: async () => void (await pool.query('truncate protocol.log restart identity')),
    async read() {
      const { rows } = await pool.query<Record<string, unknown>>(
        `select extract(epoch from at)::float8 * 1000 as "atMs", transaction, kind, detail from protocol.log order by seq`,
      );
      return z.array(row).parse(rows);
    },
  };
}
