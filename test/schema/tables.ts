import { z } from 'zod';
import type { Database } from '#storage/postgres/database.ts';

/* Writes the row types of storage/postgres/tables.ts from a migrated database. */

const column = z.object({
  table: z.string(),
  isView: z.boolean(),
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  hasDefault: z.boolean(),
  /** `CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text])))`; null without such a constraint. */
  check: z.string().nullable(),
});
type Column = z.output<typeof column>;

/** The cache has statements of its own. */
const COLUMNS = `
  select c.relname as table, c.relkind = 'v' as "isView", a.attname as name, format_type(a.atttypid, null) as type,
    a.attnotnull as required, a.atthasdef or a.attidentity <> '' as "hasDefault",
    (select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype = 'c'
      and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) like '%ARRAY[%' order by k.conname limit 1) as check
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and c.relname not like 'cache\\_%'
    and a.attnum > 0 and not a.attisdropped
  order by c.relname collate "C", a.attnum`;

/** Ids by the name of their column, and the tables whose `id` they are. */
const IDS: Readonly<Record<string, string>> = {
  account_id: 'AccountId',
  order_id: 'OrderId',
  profile_id: 'ProfileId',
  user_id: 'UserId',
  engaged_by: 'UserId',
  requested_by: 'UserId',
  token_id: 'TokenId',
  decided_by: 'UserId',
  'accounts.id': 'AccountId',
  'api_tokens.id': 'TokenId',
  'orders.id': 'OrderId',
  'profiles.id': 'ProfileId',
  'sessions.id': 'SessionId',
  'users.id': 'UserId',
};

/** Values that no constraint of the database lists. */
const VALUES: Readonly<Record<string, string>> = {
  'account_notifiers.provider': 'ChannelName',
  'api_tokens.account_ids': 'AccountId[]',
  'api_tokens.scopes': 'TokenScope[]',
  'chat.user_ids': 'string[]',
  'halts.scope': 'HaltScope',
  'ledger_entries.reason': "LedgerRow['reason']",
  'order_evidence.kind': 'EvidenceKind',
  'orders.state': 'OrderState',
  'orders.type': "OrderForm['type']",
  'position_adjustments.reason': 'AdjustmentReason',
  'profile_notifiers.provider': 'NotifierName',
};

/** Types that fit no rule: a column of JSON with a known form, and one that a trigger fills. */
const SPECIAL: Readonly<Record<string, string>> = {
  'audit_logs.actor': 'ColumnType<AuditActor | null, string | null | undefined, string | null>',
  'profile_symbols.on_account': 'ColumnType<AccountId, never, never>',
  'research.config_fingerprints': 'ColumnType<Record<string, string>, string | undefined, string>',
  'research.request': 'ColumnType<StoredRunRequest | SweepRequest, string, string>',
  'research.results': 'ColumnType<Record<string, StoredResult>, string | undefined, string>',
};

/** PostgreSQL does not know which columns of a view are never null. */
const NULL_IN_VIEWS = ['cost_basis.note'];

/** Names of columns.ts for types that are written in another form than they are read. */
const NAMES: Readonly<Record<string, string>> = {
  bigint: 'Bigint',
  jsonb: 'Json',
  json: 'Json',
  'timestamp with time zone': 'Time',
};

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  bytea: 'Buffer',
  integer: 'number',
  numeric: 'string',
  text: 'string',
  uuid: 'string',
};

const literals = (check: string): string =>
  [...check.matchAll(/'([^']*)'::text/g)].map(([, text]) => `'${text}'`).join(' | ');

function plainType({ table, name, type, check }: Column): string {
  const key = `${table}.${name}`;
  const known = VALUES[key] ?? (type === 'uuid' ? (IDS[key] ?? IDS[name]) : undefined);
  if (known !== undefined) return known;
  if (check !== null) return literals(check);
  const plain = TYPES[type];
  if (plain === undefined) throw new Error(`${key} has the type ${type}: add it to TYPES in test/schema/tables.ts.`);
  return plain;
}

function typeOf(row: Column): string {
  const key = `${row.table}.${row.name}`;
  const special = SPECIAL[key];
  if (special !== undefined) return special;
  const required = row.isView ? !NULL_IN_VIEWS.includes(key) : row.required;
  const name = NAMES[row.type];
  if (name !== undefined) return required ? `${name}${row.hasDefault ? 'OrDefault' : ''}` : `Nullable${name}`;
  const type = plainType(row);
  if (!required) return `${type} | null`;
  return row.hasDefault ? `Generated<${type}>` : type;
}

/** Imports of the types that the text uses; the file in the brackets. */
const IMPORTS: readonly (readonly [string, readonly string[]])[] = [
  ['kysely', ['ColumnType', 'Generated']],
  ['#core/account/halts.ts', ['HaltScope']],
  ['#core/ids.ts', ['AccountId', 'OrderId', 'ProfileId', 'SessionId', 'TokenId', 'UserId']],
  ['#core/installation/audit-actor.ts', ['AuditActor']],
  ['#core/installation/notify.ts', ['ChannelName', 'NotifierName']],
  ['#core/installation/token-scopes.ts', ['TokenScope']],
  ['#core/order/order-evidence.ts', ['EvidenceKind']],
  ['#core/order/order.ts', ['OrderForm', 'OrderState']],
  ['#core/position/cost-basis.ts', ['AdjustmentReason']],
  ['#core/position/ledger.ts', ['LedgerRow']],
  ['#core/research/backtest-result.ts', ['StoredResult']],
  ['#core/research/research.ts', ['StoredRunRequest', 'SweepRequest']],
];

const COLUMN_TYPES = ['Bigint', 'Json', 'Time'].flatMap((name) => [name, `${name}OrDefault`, `Nullable${name}`]);

const HEAD = 'interface Tables {';

/** The text of storage/postgres/tables.ts. */
export async function tablesText({ pool }: Database): Promise<string> {
  const columns = z.array(column).parse((await pool.query(COLUMNS)).rows);
  const tables = [...Map.groupBy(columns, ({ table }) => table)].map(([table, rows]) => {
    const lines = rows.map((row) => `    ${row.name}: ${typeOf(row)};\n`).join('');
    return `  ${table}: {\n${lines}  };\n`;
  });
  const body = tables.join('');
  const used = COLUMN_TYPES.filter((name) => new RegExp(`: ${name};`).test(body)).toSorted();
  const imports = IMPORTS.map(([path, names]) => `import type { ${names.join(', ')} } from '${path}';\n`).join('');
  return `${imports}import type {
${used.map((name) => `  ${name},\n`).join('')}} from './columns.ts';

/* Made from the migrations: \`WRITE_TABLES=1 npm test -- test/schema\` writes it. Views are tables that are never written. */

export ${HEAD}
${body}}
`;
}
