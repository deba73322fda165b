import { z } from 'zod';
import { add, type Decimal, formatDecimal, multiply, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { meanPriceChange } from '#core/account/performance.ts';
import { feeValueOf } from '#core/order/fill.ts';
import type { ProfileId } from '#core/ids.ts';
import { foldLots, type LotEvent, type LotMethod } from '#core/position/tax-lots.ts';
import { listEquity as selectEquity } from '#storage/history/equity.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { everyPage } from '#storage/postgres/pages.ts';
import {
  type CycleRow,
  cycleTotals,
  everyFill,
  type FillRow,
  listRestatements,
  type PairAssets,
  pairAssets,
  pageCycles,
  type PeriodRow,
  tradedSymbols,
  type TradeFilter,
} from '#storage/history/trades.ts';
import {
  exportFills,
  exportTaxLots,
  exportTradeArchive,
  listClosedTrades,
  listEquity,
  listTradeArchive,
} from '#api/contract/trades.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import { exportRows, viewed } from '#api/views/export-rows.ts';
import type { Routes } from '#api/handle.ts';
import { plain, plainOrNull } from '#api/views/views.ts';

const cycleView = ({ id: _id, openedAt, closedAt, bought, sold, net, ...row }: CycleRow) => ({
  ...row,
  openedAt,
  closedAt,
  bought: plain(bought),
  sold: plain(sold),
  net: plain(net),
});

const NONE: PeriodRow = { from: null, count: 0, wins: 0, losses: 0, net: '0', grossProfit: '0', grossLoss: '0' };

const fillView = ({ version: _version, at, ...row }: FillRow) => ({
  at,
  ...row,
  price: plain(row.price),
  quantity: plain(row.quantity),
  quoteQuantity: plain(row.quoteQuantity),
  feeAmount: plain(row.feeAmount),
  feeQuote: plainOrNull(row.feeQuote),
  realised: plain(row.realised),
});
const FILL_COLUMNS = Object.keys({
  at: 0,
  symbol: 0,
  side: 0,
  price: 0,
  quantity: 0,
  quoteQuantity: 0,
  feeAmount: 0,
  feeAsset: 0,
  feeQuote: 0,
  feeCorrected: 0,
  maker: 0,
  realised: 0,
  cycle: 0,
  tradeId: 0,
  orderId: 0,
  reason: 0,
} satisfies Record<keyof ReturnType<typeof fillView>, 0>);

/** A lot event. A fee counts in the asset of its payment: base, quote, or a third asset at its value in quote. */
function lotEventOf({ at, side, tradeId, ...row }: FillRow, assets: PairAssets): LotEvent {
  const [quantity, quote, feeAmount] = [row.quantity, row.quoteQuantity, row.feeAmount].map(requireDecimal);
  if (quantity === undefined || quote === undefined || feeAmount === undefined)
    throw new Error('A fill lacks an amount.');
  const { feeAsset } = row;
  const inBase = feeAsset === assets.baseAsset;
  const third = row.feeQuote === null ? null : requireDecimal(row.feeQuote);
  const value = feeValueOf({ feeAsset, feeAmount, price: requireDecimal(row.price) }, assets, third);
  const paid = inBase ? ZERO : (value ?? ZERO);
  const unvalued = value === null;
  if (side === 'sell') {
    const sold = inBase ? add(quantity, feeAmount) : quantity;
    return { kind: 'sold', at, tradeId, quantity: sold, proceeds: subtract(quote, paid), unvalued };
  }
  const bought = inBase ? subtract(quantity, feeAmount) : quantity;
  return { kind: 'bought', at, quantity: bought, cost: add(quote, paid), unvalued };
}

interface LotQuestion {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly method: LotMethod;
}

/** All events of a coin in the order in which its position was folded: a filter would separate lots from their purchase. */
async function disposalsOf(database: Reader, { profileId, symbol, method }: LotQuestion) {
  const events: { version: number; event: LotEvent }[] = [];
  const assets = await pairAssets(database, { profileId, symbol });
  for await (const rows of everyFill(database, { profileId, symbol }))
    events.push(...rows.map((row) => ({ version: Number(row.version), event: lotEventOf(row, assets) })));
  for (const { version, at, quantity, averagePrice } of await listRestatements(database, { profileId }, symbol)) {
    const held = requireDecimal(quantity);
    const cost = multiply(held, requireDecimal(averagePrice));
    events.push({ version: Number(version), event: { kind: 'restated', at, quantity: held, cost } });
  }
  const ordered = events.toSorted((a, b) => a.version - b.version).map(({ event }) => event);
  return foldLots(ordered, method).disposals.map(
    ({ acquiredAt, disposedAt, quantity, cost, proceeds, gain, ...one }) => ({
      symbol,
      ...one,
      acquiredAt,
      disposedAt,
      quantity: formatDecimal(quantity),
      cost: formatDecimal(cost),
      proceeds: formatDecimal(proceeds),
      gain: formatDecimal(gain),
    }),
  );
}
const LOT_COLUMNS = [
  'symbol',
  'acquiredAt',
  'disposedAt',
  'quantity',
  'cost',
  'proceeds',
  'gain',
  'unvaluedFee',
  'tradeId',
];

async function* taxLots(database: Reader, filter: TradeFilter, method: LotMethod) {
  const fromMs = filter.from === undefined ? -Infinity : Date.parse(filter.from);
  const toMs = filter.to === undefined ? Infinity : Date.parse(filter.to);
  for (const symbol of await tradedSymbols(database, filter)) {
    const rows = await disposalsOf(database, { profileId: filter.profileId, symbol, method });
    yield rows.filter(({ disposedAt }) => disposedAt.getTime() >= fromMs && disposedAt.getTime() <= toMs);
  }
}

const priceTable = z.record(z.string(), z.string());
const pricesOf = (stored: unknown): ReadonlyMap<string, Decimal> =>
  new Map(Object.entries(priceTable.parse(stored)).map(([symbol, price]) => [symbol, requireDecimal(price)]));

export function mountTrades({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listTradeArchive, async ({ profile: { id: profileId }, query }) => {
    const { limit, cursor, ...filters } = query;
    const filter = { profileId, ...filters };
    const page = await pageCycles(kysely, filter, { limit, cursor: readCursor(cursor) });
    const [totals = NONE] = await cycleTotals(kysely, filter, { period: 'all', timezone: 'UTC' });
    return { ...pageView(page, cycleView), totals };
  });

  handle(exportTradeArchive, async ({ profile: { id: profileId }, query, mask }) => {
    const { format, ...filters } = query;
    const pages = viewed(
      everyPage((page) => pageCycles(kysely, { profileId, ...filters }, page)),
      cycleView,
    );
    const columns = ['symbol', 'cycle', 'openedAt', 'closedAt', 'bought', 'sold', 'fills', 'net', 'exitReason'];
    return exportRows({ pages, columns, format, name: `trades-${profileId}`, mask });
  });

  handle(listClosedTrades, async ({ profile: { id: profileId }, operator, query }) => {
    const { period, ...filters } = query;
    const { timezone } = operator.user;
    const periods = await cycleTotals(kysely, { profileId, ...filters }, { period, timezone });
    return { timezone, periods };
  });

  handle(exportFills, async ({ profile: { id: profileId }, query, mask }) => {
    const { format, ...filters } = query;
    const pages = viewed(everyFill(kysely, { profileId, ...filters }), fillView);
    return exportRows({ pages, columns: FILL_COLUMNS, format, name: `fills-${profileId}`, mask });
  });

  handle(exportTaxLots, async ({ profile: { id: profileId }, query, mask }) => {
    const { format, method, ...filters } = query;
    const pages = taxLots(kysely, { profileId, ...filters }, method);
    return exportRows({ pages, columns: LOT_COLUMNS, format, name: `tax-lots-${method}-${profileId}`, mask });
  });

  handle(listEquity, async ({ profile: { id: profileId }, query }) => {
    const rows = await selectEquity(kysely, { profileId, ...query });
    const first = pricesOf(rows[0]?.prices ?? {});
    return {
      points: rows.map(({ at, realised, positionValue, positionCost, prices }) => {
        const unrealised = subtract(requireDecimal(positionValue), requireDecimal(positionCost));
        const change = meanPriceChange(first, pricesOf(prices));
        return {
          at,
          net: formatDecimal(add(requireDecimal(realised), unrealised)),
          realised: plain(realised),
          positionValue: plain(positionValue),
          positionCost: plain(positionCost),
          holding: change === null ? null : formatDecimal(change),
        };
      }),
    };
  });
}
