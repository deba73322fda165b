import { BASKET } from '#core/research/costs.ts';
import { formatDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { buyAndHold, type CoinDay, coinDays } from './benchmarks.ts';
import type { KernelInput, Run } from './run-state.ts';
import type { AccountLimits } from './portfolio-limits.ts';
import { type Portfolio, type PortfolioFill, type PortfolioRun, runPortfolio } from './portfolio-run.ts';
import type { CoinPart } from '#core/research/backtest-result.ts';
import { type BacktestInput, type BacktestOutcome, openKernel, type Refused, report } from './run.ts';
import type { Ending } from './run-coin.ts';
import { tradedBy } from './traded.ts';

/** Profiles of one account with the inputs of their coins. All share terms and window. */
export interface PortfolioInput {
  readonly profiles: readonly { readonly id: ProfileId; readonly coins: readonly BacktestInput[] }[];
  readonly limits?: AccountLimits;
}

/** Warning of results whose coins did not share a balance. */
export const SEPARATE_WARNING = 'Each coin had the whole balance, and no limits of profile or account were applied.';

/**
 * Runs all coins of the profiles together, with one balance and the risk limits. The report has the form of one coin. Its
 * benchmarks spread 1 in quote evenly over all coins at their first open.
 */
export function runPortfolioBacktest(input: PortfolioInput): BacktestOutcome {
  const opened = openPortfolio(input);
  if (opened.kind === 'refused') return opened;
  const { portfolio } = opened;
  const inputs = portfolio.profiles.flatMap(({ coins }) => coins);
  const [only] = inputs.length === 1 ? inputs : [];
  const run = runPortfolio(portfolio);
  const { fills, meter, counts, runs, closes, heldCloses, meanExposure } = run;
  const others: Ending[] = [];
  if (runs.some(({ book }) => book.ambiguous > 0)) others.push(endingOf(again(portfolio, { path: 'fall-first' })));
  const actsOnTicks = inputs.some(({ bound }) => bound.actsOnTicks === true);
  const inside = actsOnTicks ? again(portfolio, { inside: true }) : undefined;
  if (inside !== undefined) others.push(endingOf(inside));
  const made = {
    inputs,
    traded: tradedBy(
      runs.map(({ book }) => book),
      only === undefined ? fills : fills.map(({ symbol: _, ...fill }) => fill),
    ),
    coin: only === undefined ? indexDays(inputs) : coinDays(only.detail, only.start, only.end),
    ...{ meter, others, counts, meanExposure, crossed: inside?.crossed ?? 0 },
    capitalUsed: toNumber(runs[0]?.book.balance.peakCapitalInUse ?? ZERO),
    candles: closes,
    heldCandles: heldCloses,
    offGrid: runs.reduce((sum, { offGrid }) => sum + offGrid, 0),
    warmUp: Math.min(...runs.map(({ feed }) => feed.warmUp)),
    skipped: 0,
    openPosition: null,
  };
  const [first] = input.profiles.flatMap(({ coins }) => coins);
  const result = report(made, { fromMs: first?.fromMs, toMs: first?.toMs });
  if (only !== undefined) return { kind: 'result', result };
  const parts = runs.map((one, i): [string, CoinPart] => [one.input.rules.symbol, partOf(one, fills, inputs[i])]);
  return { kind: 'result', result: { ...result, symbol: BASKET, coins: Object.fromEntries(parts) } };
}

const again = (portfolio: Portfolio, how: Pick<KernelInput, 'path' | 'inside'>): PortfolioRun => {
  const profiles = portfolio.profiles.map((profile) => {
    return { ...profile, coins: profile.coins.map((coin) => ({ ...coin, ...how })) };
  });
  return runPortfolio({ ...portfolio, profiles });
};

/** Input of a run of several coins. A refusal names the coin. */
export function openPortfolio({
  profiles,
  limits,
}: PortfolioInput): { readonly kind: 'portfolio'; readonly portfolio: Portfolio } | Refused {
  const opened: { id: ProfileId; coins: KernelInput[] }[] = [];
  for (const { id, coins } of profiles) {
    const kernels: KernelInput[] = [];
    const planned = coins.find(({ bound }) => bound.planner !== undefined)?.bound;
    for (const coin of coins) {
      // Coins of one planner share the bound strategy of the first coin.
      const one = openKernel(planned === undefined ? coin : { ...coin, bound: planned }, { basket: true });
      if (one.kind === 'refused') return { kind: 'refused', sentence: `${coin.rules.symbol}: ${one.sentence}` };
      kernels.push(one.kernel);
    }
    opened.push({ id, coins: kernels });
  }
  const sentence = refusalOf(opened.flatMap(({ coins }) => coins));
  if (sentence !== undefined) return { kind: 'refused', sentence };
  return { kind: 'portfolio', portfolio: { profiles: opened, ...(limits === undefined ? {} : { limits }) } };
}

const endingOf = ({ meter, runs }: PortfolioRun): Ending => ({
  last: meter.last,
  overrun: runs.reduce((sum, { book }) => sum + book.overrun.loss, 0),
});

/** Reason why the coins cannot share a balance or a clock. */
function refusalOf(inputs: readonly KernelInput[]): string | undefined {
  if (inputs.length === 0) return 'No coins are given.';
  const differing = (what: (input: KernelInput) => string): string | undefined => {
    const all = [...new Set(inputs.map(what))];
    return all.length < 2 ? undefined : all.join(', ');
  };
  const symbols = inputs.map(({ rules }) => rules.symbol);
  const twice = symbols.find((symbol, i) => symbols.indexOf(symbol) !== i);
  if (twice !== undefined) return `${twice} is listed twice, but only one profile of an account can trade a coin.`;
  const quotes = differing(({ rules }) => rules.quoteAsset);
  if (quotes !== undefined) return `Coins that share a balance need one quote asset, but these use ${quotes}.`;
  const intervals = differing(({ detail }) => detail.interval);
  if (intervals === undefined) return undefined;
  return `Coins that share a balance need candles of one interval, but these use ${intervals}.`;
}

/** All coins as one: mean of price / first open over the coins. On days without candles a coin keeps its last price. */
function indexDays(inputs: readonly KernelInput[]): CoinDay[] {
  const all = inputs.map(({ detail, start, end }) => {
    const firstOpen = detail.columns.open[start] ?? 1;
    return new Map(
      coinDays(detail, start, end).map((day) => [
        day.startMs,
        { open: day.open === null ? null : day.open / firstOpen, close: day.close / firstOpen },
      ]),
    );
  });
  const last = inputs.map(() => 1);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...new Set(all.flatMap((days) => [...days.keys()]))]
    .toSorted((a, b) => a - b)
    .map((startMs) => {
      const days = all.map((each) => each.get(startMs));
      const opens = days.map((day, i) => day?.open ?? last[i] ?? 1);
      for (const [i, day] of days.entries()) last[i] = day?.close ?? last[i] ?? 1;
      return {
        startMs,
        open: days.every((day) => (day?.open ?? null) === null) ? null : mean(opens),
        close: mean(last),
      };
    });
}

function partOf({ book }: Run, fills: readonly PortfolioFill[], input: KernelInput | undefined): CoinPart {
  const own = fills.filter(({ symbol }) => symbol === book.rules.symbol);
  const spent = (side: 'buy' | 'sell'): number =>
    own.reduce((sum, { fill }) => sum + (fill.side === side ? toNumber(fill.quoteQuantity) : 0), 0);
  const nets = book.cycles.map(({ net }) => toNumber(net));
  const charges = { feeRate: toNumber(book.terms.feeRate), slippage: toNumber(book.terms.slippage) };
  return {
    fills: own.length,
    bought: spent('buy'),
    sold: spent('sell'),
    fees: own.reduce((sum, { feeQuote }) => sum + toNumber(feeQuote), 0),
    closedCycles: nets.length,
    wins: nets.filter((net) => net > 0).length,
    net: nets.reduce((sum, net) => sum + net, 0),
    held: formatDecimal(book.position.quantity),
    buyAndHold: input === undefined ? 0 : buyAndHold(coinDays(input.detail, input.start, input.end), charges),
  };
}
