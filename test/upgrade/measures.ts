import { z } from 'zod';
import { connect } from '#storage/postgres/connect.ts';

/** Rows of a table, the sum of each numeric column, and a digest of all values, which does not depend on the order. */
const measure = z.object({
  rows: z.int(),
  sums: z.record(z.string(), z.string()),
  digest: z.string(),
  columns: z.array(z.string()),
});
type Measure = z.output<typeof measure>;
export const measures = z.record(z.string(), measure);
export type Measures = z.output<typeof measures>;

interface Layout extends Pick<Measure, 'columns'> {
  readonly numeric: readonly string[];
}
type Client = Awaited<ReturnType<typeof connect>>;

/** Where a later migration keeps the rows of a table: a query with the columns that the table had. */
const MOVED: Readonly<Record<string, string>> = {
  profile_reports: `(
    select profile_id, 'drift' as kind, null::timestamptz as requested_at, null as error, reference as report
      from live_comparisons where reference is not null
    union all select profile_id, 'shadow', requested_at, error, day from live_comparisons
      where coalesce(requested_at::text, error, day::text) is not null)`,
  backtest_runs: `(select * from research where kind = 'backtest')`,
  sweeps: `(select * from research where kind = 'sweep')`,
  // Without the receipt of the migration that moved the reports.
  audit_logs: `(select * from audit_logs where action <> 'live-comparison.merged')`,
};

const COLUMNS = `select table_name as table, column_name as column, data_type as type
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'schema_migrations'
  order by table_name, ordinal_position`;

async function presentLayouts(client: Client): Promise<Map<string, Layout>> {
  const { rows } = await client.query<{ table: string; column: string; type: string }>(COLUMNS);
  const names = (own: typeof rows): string[] => own.map(({ column }) => column);
  const tables = [...Map.groupBy(rows, ({ table }) => table)].map(([table, own]): [string, Layout] => {
    return [table, { columns: names(own), numeric: names(own.filter(({ type }) => type === 'numeric')) }];
  });
  return new Map(tables);
}

/** Measures every table of a database, or those columns that an earlier version measured. */
export async function measureTables(url: string, earlier?: Measures): Promise<Measures> {
  const client = await connect(url);
  try {
    await client.query(`set time zone 'UTC'`);
    const recorded = Object.entries(earlier ?? {}).map(([table, { columns, sums }]): [string, Layout] => {
      return [table, { columns, numeric: Object.keys(sums) }];
    });
    const found: Record<string, Measure> = {};
    for (const [table, layout] of earlier === undefined ? await presentLayouts(client) : recorded)
      found[table] = await measureTable(client, MOVED[table] ?? `"${table}"`, layout);
    return found;
  } finally {
    await client.end();
  }
}

async function measureTable(client: Client, from: string, { columns, numeric }: Layout): Promise<Measure> {
  const sums = numeric.map((name) => `'${name}', trim_scale(coalesce(sum("${name}"), 0))::text`);
  // As JSON: a backup does not keep apart null of JSON and null of SQL.
  const values = `(select row_to_json(kept)::text from (select ${columns.map((name) => `"${name}"`).join(', ')}) as kept)`;
  const { rows } = await client.query<Omit<Measure, 'columns'>>(`select count(*)::int as rows,
    json_build_object(${sums.join(', ')}) as sums,
    coalesce(sum(hashtextextended(${values}, 0)::numeric), 0)::text as digest from ${from} as measured`);
  const [row] = rows;
  if (row === undefined) throw new Error(`${from} cannot be measured.`);
  return { ...row, columns };
}
