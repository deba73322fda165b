import { z } from 'zod';
import { venueOf } from '#core/account/account.ts';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { mergePatch } from '#core/merge.ts';
import { foldAdjustment, foldFill } from '#core/position/position.ts';
import { BASKET } from '#core/research/costs.ts';
import { runRequest } from '#core/research/research.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { readRun } from '#storage/research/research.ts';
import { readPositionHistory } from '#storage/trading/position-history.ts';
import type { PositionStep } from '#strategies/draw-candles.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import { requireStrategy } from '#api/checks/config-check.ts';
import { readBacktestChart, readCoinChart } from '#api/contract/charts.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { Memo } from '#api/frame/memo.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { venueName } from '#api/require.ts';
import { plain } from '#api/views/views.ts';
import { type ChartMark, type ChartPage, type ChartRequest, readChartPage } from './chart-page.ts';
import { candlesFrom } from './market.ts';

/** A finished backtest does not change. */
const RUN_KEPT_MS = 600_000;
const RUNS_KEPT = 4;

type Asked = Pick<ChartRequest, 'symbol' | 'bound'> & {
  readonly trades: (fromMs: number, rules: SymbolRules | undefined) => ReturnType<ChartRequest['trades']>;
};

async function chartOf(
  context: ApiContext,
  readAccount: () => Promise<AccountView>,
  asked: Asked & Pick<ChartRequest, 'interval' | 'limit' | 'before'>,
): Promise<ChartPage> {
  const account = await readAccount();
  const venue = venueOf(account);
  const rules = (await context.venues.rules(venue))?.get(asked.symbol);
  const trades = (fromMs: number) => asked.trades(fromMs, rules);
  const page = readChartPage(context.venues, { ...asked, venue, rules, trades });
  return candlesFrom(page, venueName(account), asked.symbol);
}

async function boundFor(strategyName: string, config: unknown): Promise<BoundStrategy> {
  const strategy = requireStrategy(strategyName);
  await strategy.prepare?.(config);
  return strategy.bind(config);
}

async function coinChart(context: ApiContext, incoming: Incoming<typeof readCoinChart>) {
  const { profile, bound: coin, readAccount, query } = incoming;
  const { id: profileId } = profile;
  const { symbol } = coin;
  const { kysely } = context.database;
  const bound = await boundFor(profile.strategyName, mergePatch(profile.config, coin.overrideConfig));
  const trades: Asked['trades'] = async (fromMs, rules) => {
    const history = await readPositionHistory(kysely, { profileId, symbol }, new Date(fromMs));
    return { marks: history.fills.map(markOf), steps: rules === undefined ? [] : stepsOf(history, rules) };
  };
  return chartOf(context, readAccount, { ...query, symbol, bound, trades });
}

type History = Awaited<ReturnType<typeof readPositionHistory>>;

const markOf = ({ fill, orderId, reason, cycle, realised }: History['fills'][number]): ChartMark => ({
  id: `${fill.tradeId} ${fill.exchangeOrderId}`,
  at: fill.at,
  side: fill.side,
  price: formatDecimal(fill.price),
  quantity: formatDecimal(fill.quantity),
  net: fill.side === 'sell' ? plain(realised) : null,
  reason,
  trade: cycle,
  orderId,
});

interface NumberedStep extends PositionStep {
  readonly version: number;
}

function stepsOf({ fills, adjustments }: History, rules: SymbolRules): PositionStep[] {
  const filled = fills.map(
    ({ version, fill, feeQuote, orderId }): NumberedStep => ({
      version,
      atMs: fill.at.getTime(),
      side: fill.side,
      order: orderId,
      fold: (position) => foldFill(position, fill, { rules, feeQuote, cooldownMs: 0 }).position,
    }),
  );
  const adjusted = adjustments.map(
    ({ version, adjustment }): NumberedStep => ({
      version,
      atMs: adjustment.at.getTime(),
      side: 'buy',
      order: String(version),
      fold: (position) => foldAdjustment(position, adjustment),
    }),
  );
  return [...filled, ...adjusted].toSorted((a, b) => a.version - b.version);
}

const testedFill = z.object({
  symbol: z.string().optional(),
  at: z.string(),
  side: z.enum(['buy', 'sell']),
  ...{ price: z.string(), quantity: z.string(), quote: z.string(), fee: z.string(), feeAsset: z.string() },
  reason: z.string(),
  cycle: z.number(),
  realised: z.string().nullable(),
});
type TestedFill = z.output<typeof testedFill>;
const testedResult = z.object({ fills: z.array(testedFill) });

interface TestedCoin {
  readonly strategyName: string;
  readonly config: unknown;
  readonly fills: readonly TestedFill[];
}

interface TestedRun {
  readonly isOver: boolean;
  readonly coins: ReadonlyMap<string, TestedCoin>;
}

const testedRequest = runRequest.pick({ coins: true });

/** Settings and fills of every coin of a backtest. */
async function readTested(
  { database }: ApiContext,
  { profileId, runId }: { readonly profileId: ProfileId; readonly runId: string },
): Promise<TestedRun> {
  const run = await readRun(database.kysely, profileId, runId);
  if (run === undefined) throw new ApiProblem('not_found', `There is no backtest ${runId}.`);
  const fillsOf = (symbol: string): TestedFill[] => {
    const result = testedResult.safeParse(run.results[symbol] ?? run.results[BASKET]);
    return result.data?.fills.filter((fill) => (fill.symbol ?? symbol) === symbol) ?? [];
  };
  const { coins } = testedRequest.parse(run.request);
  return {
    isOver: run.state === 'done' || run.state === 'failed' || run.state === 'aborted',
    coins: new Map(
      coins.map(({ symbol, config, strategyName = run.strategyName }) => [
        symbol,
        { strategyName, config, fills: fillsOf(symbol) },
      ]),
    ),
  };
}

const testedMark = (fill: TestedFill, index: number): ChartMark => ({
  id: String(index),
  at: new Date(fill.at),
  side: fill.side,
  price: fill.price,
  quantity: fill.quantity,
  net: fill.realised,
  reason: fill.reason,
  trade: fill.cycle,
  orderId: null,
});

const testedStep = (fill: TestedFill, index: number, rules: SymbolRules): PositionStep => ({
  atMs: Date.parse(fill.at),
  side: fill.side,
  // Parts of one order have the same time and reason, or follow each other; a buy level seldom fills in parts.
  order: `${fill.at} ${fill.reason}`,
  fold: (position) => {
    const ids = { symbol: rules.symbol, tradeId: String(index), exchangeOrderId: String(index), side: fill.side };
    const amounts = { price: requireDecimal(fill.price), quantity: requireDecimal(fill.quantity) };
    const fee = { feeAmount: requireDecimal(fill.fee), feeAsset: fill.feeAsset === '' ? null : fill.feeAsset };
    const at = new Date(fill.at);
    const executed = { ...ids, ...amounts, ...fee, quoteQuantity: requireDecimal(fill.quote), maker: false, at };
    return foldFill(position, executed, { rules, cooldownMs: 0 }).position;
  },
});

export function mountCharts({ context, handle }: Routes): void {
  const runs = new Memo<TestedRun>({
    nowMs: () => context.now().getTime(),
    most: RUNS_KEPT,
    keep: ({ isOver }) => isOver,
  });
  handle(readCoinChart, (incoming) => coinChart(context, incoming));
  handle(readBacktestChart, async ({ readAccount, params, query }) => {
    const { id: profileId, runId } = params;
    const tested = await runs.get(runId, RUN_KEPT_MS, () => readTested(context, { profileId, runId }));
    const coin = tested.coins.get(query.symbol);
    if (coin === undefined) throw invalidField('symbol', 'is no coin of this backtest');
    const bound = await boundFor(coin.strategyName, coin.config);
    const trades: Asked['trades'] = async (_fromMs, rules) => ({
      marks: coin.fills.map(testedMark),
      steps: rules === undefined ? [] : coin.fills.map((fill, index) => testedStep(fill, index, rules)),
    });
    return chartOf(context, readAccount, { ...query, bound, trades });
  });
}
