import {
  add,
  type Decimal,
  divide,
  floorToStep,
  formatDecimal,
  multiply,
  requireDecimal,
} from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { TradingStore } from '#core/ports/store.ts';
import type { Position } from '#core/position/position.ts';
import { acquireLease } from '#storage/postgres/leases.ts';
import type { Database } from '#storage/postgres/database.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { exchangeIdOf, fillOf, intentOf, requireCommitted } from '#test/harness/test-trading.ts';
import { type Dice, openDice } from '#test/flow/random.ts';
import { rulesOf } from './test-records.ts';

/* A history of trades, booked as the worker books them, with the prices that equity snapshots recorded meanwhile. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Quote of one buy, and the fee of everything. */
const SPENT = requireDecimal('1500');
const FEE = requireDecimal('0.001');
const HALF = requireDecimal('0.5');

const STARTS: Readonly<Record<string, number>> = {
  BTC: 60_000,
  ETH: 2_400,
  SOL: 150,
  LINK: 14,
  ADA: 0.5,
  AVAX: 30,
};

/** Price of a coin in USDT: it swings and drifts, the same in every run. */
export function priceAt(base: string, ms: number): Decimal {
  const start = STARTS[base] ?? 100;
  const day = ms / DAY_MS;
  const phase = base.charCodeAt(0) + base.charCodeAt(1);
  const swing = [
    [0.012, 9.7],
    [0.02, 3.1],
    [0.06, 0.11],
  ].reduce((sum, [size = 0, speed = 0]) => sum + size * Math.sin(day * speed + phase), 0);
  return requireDecimal((start * (1 + swing + 0.0004 * (day % 365))).toFixed(start < 10 ? 4 : 2));
}

interface Trader {
  readonly profileId: ProfileId;
  /** Base assets of the coins of the profile. */
  readonly bases: readonly string[];
}

interface HistoryInput {
  readonly accountId: AccountId;
  readonly traders: readonly Trader[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Chance that a flat coin is bought on a day. */
  readonly chance: number;
  readonly seed: number;
}

interface Step {
  readonly atMs: number;
  readonly trader: Trader;
  readonly base: string;
  readonly kind: 'buy' | 'half' | 'all';
}

/** Orders of one coin: a buy or two, then a sale in one or two parts, some of them days later. */
function* stepsOf(
  input: HistoryInput,
  { trader, base, dice }: { trader: Trader; base: string; dice: Dice },
): Generator<Step> {
  const step = (atMs: number, kind: Step['kind']): Step => ({ atMs: Math.round(atMs), trader, base, kind });
  let atMs = input.fromMs + dice.between(0, 12) * HOUR_MS;
  while (atMs < input.toMs) {
    if (!dice.chance(input.chance)) {
      atMs += DAY_MS;
      continue;
    }
    yield step(atMs, 'buy');
    if (dice.chance(0.4)) yield step((atMs += HOUR_MS), 'buy');
    if (dice.chance(0.3)) yield step((atMs += dice.between(1, 8) * HOUR_MS), 'half');
    yield step((atMs += dice.between(1, dice.chance(0.3) ? 60 : 10) * HOUR_MS), 'all');
    atMs += dice.between(2, 20) * HOUR_MS;
  }
}

const GAINS = ['exit-trail', 'exit-trail', 'exit-trail', 'exit-take-profit', 'exit-rating'] as const;
const LOSSES = ['exit-stop-loss', 'exit-stop-loss', 'exit-stop-loss', 'exit-cross-down', 'manual-sell'] as const;

interface Booking {
  readonly store: TradingStore;
  readonly accountId: AccountId;
  readonly fencing: number;
  readonly dice: Dice;
}

/** Fees in quote and in a third asset, and for the coin ADA in the coin itself. */
async function book({ store, accountId, fencing, dice }: Booking, { atMs, trader, base, kind }: Step): Promise<void> {
  const rules = rulesOf(`${base}USDT`, base);
  const { profileId } = trader;
  const { version, position } = await store.loadRunner(profileId, rules.symbol);
  const price = priceAt(base, atMs);
  const quantity = floorToStep(amountOf(kind, position, price), rules.lot.step);
  // Some losses are waited out: the next round adds to the position.
  if (quantity === 0n || (kind === 'all' && price < position.averagePrice && dice.chance(0.4))) return;
  const [side, purpose] = kind === 'buy' ? (['buy', 'entry'] as const) : (['sell', 'exit'] as const);
  const sale = dice.pick(price > position.averagePrice ? GAINS : LOSSES);
  const at = new Date(atMs);
  const committed = await store.commitIntent(
    intentOf(
      { accountId, profileId, fencing },
      {
        ...{ reason: kind === 'buy' ? 'entry-first' : sale, expectedVersion: version, at, sendBeforeMs: atMs },
        order: { symbol: rules.symbol, side, purpose, quantity },
      },
    ),
  );
  const { record } = requireCommitted(committed);
  const quoteQuantity = multiply(quantity, price);
  const feeQuote = multiply(quoteQuantity, FEE);
  const feeAsset = base === 'ADA' && side === 'buy' ? base : dice.pick(['USDT', 'BNB'] as const);
  const amounts = { USDT: feeQuote, BNB: divide(feeQuote, requireDecimal('600')), ADA: multiply(quantity, FEE) };
  await store.applyFill({
    ...{ accountId, epoch: 1, orderId: record.id, rules, cooldownMs: 0, feeQuote },
    fill: {
      ...fillOf(side, `${formatDecimal(quantity)} @ ${formatDecimal(price)}`),
      ...{ symbol: rules.symbol, exchangeOrderId: exchangeIdOf(record), at, feeAsset },
      feeAmount: amounts[feeAsset === base ? 'ADA' : feeAsset === 'BNB' ? 'BNB' : 'USDT'],
    },
  });
}

function amountOf(kind: Step['kind'], { quantity }: Position, price: Decimal): Decimal {
  if (kind === 'buy') return divide(SPENT, price);
  return kind === 'half' ? multiply(quantity, HALF) : quantity;
}

/** Snapshots every six hours, as the worker takes them; only their prices are true. */
async function addPrices({ pool }: Database, { traders, fromMs, toMs }: HistoryInput): Promise<void> {
  for (const { profileId, bases } of traders)
    for (let ms = fromMs; ms < toMs; ms += 6 * HOUR_MS) {
      const prices = Object.fromEntries(bases.map((base) => [`${base}USDT`, formatDecimal(priceAt(base, ms))]));
      await pool.query(
        `insert into equity_snapshots (profile_id, at, realised, position_value, position_cost, prices)
         values ($1, $2, 0, 0, 0, $3) on conflict do nothing`,
        [profileId, new Date(ms), JSON.stringify(prices)],
      );
    }
}

/** Quote that the fills of an account moved: what a wallet of `start` holds after them. */
async function quoteAfter({ pool }: Database, accountId: AccountId, start: Decimal): Promise<Decimal> {
  const { rows } = await pool.query<{ moved: string }>(
    `select coalesce(sum(case side when 'buy' then -quote_quantity else quote_quantity end
       - case when fee_asset = 'USDT' then fee_amount else 0 end), 0) as moved from fills where account_id = $1`,
    [accountId],
  );
  return add(start, requireDecimal(rows[0]?.moved ?? '0'));
}

/** Books the trades of an account whose worker does not run; returns what its wallet holds of each asset afterwards. */
export async function seedHistory(database: Database, input: HistoryInput): Promise<Map<string, Decimal>> {
  const { accountId, traders, seed } = input;
  const lease = await acquireLease(database, { accountId, holder: 'history', ttlMs: 6 * HOUR_MS });
  if (lease === undefined) throw new Error('A worker has the account.');
  const { pool } = database;
  for (const { profileId, bases } of traders) {
    await pool.query('update profiles set enabled = true where id = $1', [profileId]);
    for (const base of bases)
      await pool.query('insert into profile_symbols (profile_id, symbol) values ($1, $2) on conflict do nothing', [
        profileId,
        `${base}USDT`,
      ]);
  }
  const dice = openDice(seed);
  const coins = traders.flatMap((trader) => trader.bases.map((base) => ({ trader, base, dice })));
  const steps = coins.flatMap((coin) => [...stepsOf(input, coin)]).filter(({ atMs }) => atMs < input.toMs);
  const booking = { store: createTradingStore(database), accountId, fencing: lease.fencing, dice };
  for (const step of steps.toSorted((a, b) => a.atMs - b.atMs)) await book(booking, step);
  await addPrices(database, input);
  const held = await pool.query<{ symbol: string; quantity: string }>(
    `select symbol, quantity from runner_states where profile_id = any($1)`,
    [traders.map(({ profileId }) => profileId)],
  );
  const wallet = new Map(held.rows.map(({ symbol, quantity }) => [symbol.slice(0, -4), requireDecimal(quantity)]));
  return wallet.set('USDT', await quoteAfter(database, accountId, requireDecimal('16000')));
}
