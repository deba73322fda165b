import {
  accessSync,
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Decimal, formatDecimal, readDecimal, ZERO } from '#core/amount/decimal.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { parseJson } from '#paper/json-literals.ts';
import { EXPIRY_REASONS, type Fill, type Order, ORDER_STATUSES, type PreventedMatch } from './order.ts';
import { ORDER_TYPES, PREVENTION_MODES } from '#paper/market/order-types.ts';
import type { OrderList } from './order-list.ts';
import type { OrdersState } from './orders.ts';
import type { BalanceRow } from './balances.ts';

/**
 * The changes of one instant as whole rows. Reading all records in order gives the last state. Key names are stored on
 * disk and must not change.
 */
export interface JournalRecord {
  readonly atMs: number;
  readonly orders: OrdersState;
  readonly purses: readonly BalanceRow[];
  /** Last trade id of each coin in which clients traded. */
  readonly tradeIds: Readonly<Record<string, number>>;
}

/**
 * Keeps the exchange across restarts, also after a killed process. Every record is in the file before the request is
 * answered.
 */
export interface Journal extends Disposable {
  append(record: JournalRecord): void;
  /** True when the journal is long enough for `compact`. */
  isLong(): boolean;
  /** Replaces all records with one. */
  compact(whole: JournalRecord): void;
  /** Stores the market time up to which the market has been played. */
  noteTime(marketMs: number): void;
}

const LONG_BYTES = 32 * 1024 * 1024;
const TIME_DIGITS = 16;
const NO_ID = -1;
const OWNER_ONLY = 0o600;
const OWN_FILES = ['snapshot.json', 'journal.jsonl', 'market-time'] as const;

const decimal = z.string().transform((text, context): Decimal => {
  const value = readDecimal(text);
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: `"${text}" is not a decimal number` });
  return z.NEVER;
});
const side = z.enum(['BUY', 'SELL']);
/** Earlier versions had the mode TRANSFER. Within one account it has the effect of DECREMENT. */
const prevention = z
  .enum([...PREVENTION_MODES, 'TRANSFER'])
  .transform((mode) => (mode === 'TRANSFER' ? 'DECREMENT' : mode));
const storedOrder = z.object({
  id: z.number(),
  account: z.string(),
  symbol: z.string(),
  clientOrderId: z.string(),
  side,
  type: z.enum(ORDER_TYPES),
  timeInForce: z.enum(['GTC', 'IOC', 'FOK']),
  price: decimal,
  stopPrice: decimal,
  trailingDelta: z.number().default(0),
  quantity: decimal,
  quoteQuantity: decimal,
  icebergQuantity: decimal.default(ZERO),
  prevention: prevention.default('NONE'),
  strategyId: z.number().nullable().default(null),
  strategyType: z.number().nullable().default(null),
  listId: z.number().default(NO_ID),
  executed: decimal,
  executedQuote: decimal,
  prevented: decimal.default(ZERO),
  preventedMatchId: z.number().default(NO_ID),
  status: z.enum(ORDER_STATUSES),
  locked: decimal,
  working: z.boolean(),
  workingMs: z.number(),
  trailingMs: z.number().default(-1),
  extreme: decimal.default(ZERO),
  shown: decimal.default(ZERO),
  ahead: decimal.default(ZERO),
  createdMs: z.number(),
  updatedMs: z.number(),
  expiryReason: z.enum(EXPIRY_REASONS),
  peg: z.object({}).nullable().default(null),
});
/** Earlier versions had pegged orders. One that has no price yet gets price zero and is refused when it starts. */
const order = storedOrder.transform(({ peg, ...stored }) =>
  peg !== null && stored.workingMs < 0 ? { ...stored, price: ZERO } : stored,
) satisfies z.ZodType<Order, unknown>;
const fill = z.object({
  id: z.number(),
  account: z.string(),
  symbol: z.string(),
  orderId: z.number(),
  listId: z.number().default(NO_ID),
  side,
  price: decimal,
  quantity: decimal,
  quote: decimal,
  commission: decimal,
  commissionAsset: z.string(),
  atMs: z.number(),
  maker: z.boolean(),
}) satisfies z.ZodType<Fill, unknown>;
const preventedMatch = z.object({
  id: z.number(),
  account: z.string(),
  symbol: z.string(),
  takerOrderId: z.number(),
  makerOrderId: z.number(),
  mode: prevention,
  price: decimal,
  takerQuantity: decimal,
  makerQuantity: decimal,
  atMs: z.number(),
}) satisfies z.ZodType<PreventedMatch, unknown>;
const LIST_KINDS = { OCO: 'OCO', OTO: 'OTO', OTOCO: 'OTOCO', OPO: 'OTO', OPOCO: 'OTOCO' } as const;
const list = z.object({
  id: z.number(),
  account: z.string(),
  symbol: z.string(),
  // Earlier versions had OPO and OPOCO lists. Their waiting orders have no quantity and are refused when they start.
  kind: z.enum(['OCO', 'OTO', 'OTOCO', 'OPO', 'OPOCO']).transform((kind) => LIST_KINDS[kind]),
  clientListId: z.string(),
  orderIds: z.array(z.number()),
  done: z.boolean(),
  createdMs: z.number(),
}) satisfies z.ZodType<OrderList, unknown>;
const record = z.object({
  atMs: z.number(),
  orders: z.object({
    lastId: z.number(),
    lastExecutionId: z.number(),
    orders: z.array(order),
    // Earlier versions stored executions that were not trades.
    fills: z.array(fill).transform((fills) => fills.filter((row) => row.id >= 0)),
    prevented: z.array(preventedMatch).default([]),
    lists: z.array(list).default([]),
  }),
  purses: z.array(
    z.object({ owner: z.string(), asset: z.string(), balance: z.object({ free: decimal, locked: decimal }) }),
  ),
  tradeIds: z.record(z.string(), z.number()),
}) satisfies z.ZodType<JournalRecord, unknown>;

/**
 * Opens the journal of a folder and returns its records, oldest first. A killed process can cut the last line short.
 * That line is dropped, because its request was never answered. Throws BadInputError for anything else that cannot be
 * read.
 */
export function openJournal(folder: string): {
  journal: Journal;
  records: JournalRecord[];
  marketMs: number | undefined;
} {
  makeFolder(folder);
  const paths = {
    snapshot: join(folder, 'snapshot.json'),
    lines: join(folder, 'journal.jsonl'),
    time: join(folder, 'market-time'),
  };
  const records = [...readSnapshot(paths.snapshot), ...readLines(paths.lines)];
  const noted = existsSync(paths.time) ? Number(readFileSync(paths.time, 'utf8')) : Number.NaN;
  const lastMs = records.at(-1)?.atMs;
  const marketMs = Number.isFinite(noted) ? Math.max(noted, lastMs ?? 0) : lastMs;
  const time = openSync(paths.time, existsSync(paths.time) ? 'r+' : 'w+', OWNER_ONLY);
  let bytes = 0;
  return {
    records,
    marketMs,
    journal: {
      append: (record) => {
        const line = `${encodeRecord(record)}\n`;
        appendFileSync(paths.lines, line, { mode: OWNER_ONLY });
        bytes += line.length;
      },
      isLong: () => bytes > LONG_BYTES,
      compact: (whole) => {
        writeFileSync(`${paths.snapshot}.new`, encodeRecord(whole), { mode: OWNER_ONLY });
        renameSync(`${paths.snapshot}.new`, paths.snapshot);
        writeFileSync(paths.lines, '', { mode: OWNER_ONLY });
        bytes = 0;
      },
      noteTime: (ms) => {
        writeSync(time, String(ms).padStart(TIME_DIGITS), 0);
      },
      [Symbol.dispose]: () => closeSync(time),
    },
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    closeToOthers(folder);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadInputError(`The paper exchange cannot write to its data folder ${folder}: ${cause}.`);
  }
}

/** Only the operator may read balances and orders. Earlier versions let every user of the machine read the files. */
function closeToOthers(folder: string): void {
  chmodSync(folder, 0o700);
  for (const name of OWN_FILES) {
    const path = join(folder, name);
    if (existsSync(path)) chmodSync(path, OWNER_ONLY);
  }
}

function readSnapshot(path: string): JournalRecord[] {
  return existsSync(path) ? [decodeRecord(readFileSync(path, 'utf8'), path)] : [];
}

function readLines(path: string): JournalRecord[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  const cutShort = lines.pop();
  if (cutShort !== undefined && cutShort !== '') writeFileSync(path, text.slice(0, text.length - cutShort.length));
  return lines.filter((line) => line !== '').map((line, at) => decodeRecord(line, `${path} line ${at + 1}`));
}

function decodeRecord(text: string, place: string): JournalRecord {
  const parsed = record.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BadInputError(
    `The paper exchange's stored state in ${place} is broken at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}. Restore it, or remove the folder to start with opening balances.`,
  );
}

/** Decimals are the only bigints of a record. */
const encodeRecord = (record: JournalRecord): string =>
  JSON.stringify(record, (_, value: unknown) => (isDecimal(value) ? formatDecimal(value) : value));

const isDecimal = (value: unknown): value is Decimal => typeof value === 'bigint';
