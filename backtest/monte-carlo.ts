import { randomFrom } from '#core/research/random.ts';

/** Quantiles of the outcomes. */
export interface Band {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

const bandOf = (values: readonly number[]): Band => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
};

function deepestFall(steps: Iterable<number>, start: number): number {
  let [peak, deepest] = [start, 0];
  for (const equity of steps) {
    peak = Math.max(peak, equity);
    deepest = Math.max(deepest, 1 - equity / peak);
  }
  return deepest;
}

const RUNS = 1000;

/** Trades and days to draw from; money in quote. */
interface Drawn {
  readonly balance: number;
  /** Nets of the closed trades, in their order. */
  readonly nets: readonly number[];
  /** Daily returns. */
  readonly returns: readonly number[];
  /** Fixed quote amount of one trade; null when it follows the equity. */
  readonly fixedSpend: number | null;
}

/** Return of each trade on the money it could spend: the whole equity, or the fixed amount up to the equity. */
function sharesOf({ balance, nets, fixedSpend }: Drawn): number[] {
  let equity = balance;
  return nets.map((net) => {
    const share = net / spendOf(equity, fixedSpend);
    equity += net;
    // A bought coin can lose at most its cost.
    return Number.isFinite(share) ? Math.max(-1, share) : 0;
  });
}

const spendOf = (equity: number, fixedSpend: number | null): number => Math.min(equity, fixedSpend ?? equity);

/** The equity after each trade. No trade can lose more than the equity. */
function* equityAfter(shares: readonly number[], { balance, fixedSpend }: Drawn): Generator<number> {
  let equity = balance;
  for (const share of shares) yield (equity += share * spendOf(equity, fixedSpend));
}

/**
 * A thousand alternative outcomes of the same trades and days. `shuffled`: max drawdown with the closed trades in another
 * order, each with its return on the money it could spend. `resampled`: blocks of about sqrt(n) daily returns, drawn with
 * replacement (circular block bootstrap), which keeps neighbouring days together. Null without data. Repeatable by `seed`.
 */
export function monteCarlo(input: Drawn, seed = 1) {
  const { nets, returns, balance } = input;
  if (nets.length < 2 || returns.length < 2) return null;
  const random = randomFrom(seed);
  const shares = sharesOf(input);
  const shuffled = Array.from({ length: RUNS }, () => {
    const order = [...shares];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
    }
    return deepestFall(equityAfter(order, input), balance);
  });
  const block = Math.max(1, Math.round(Math.sqrt(returns.length)));
  const paths = Array.from({ length: RUNS }, () => {
    let equity = 1;
    let at = 0;
    const steps = returns.map((_value, day) => {
      if (day % block === 0) at = Math.floor(random() * returns.length);
      equity *= 1 + (returns[(at + (day % block)) % returns.length] ?? 0);
      return equity;
    });
    return { totalReturn: equity - 1, drawdown: deepestFall(steps, 1) };
  });
  const finals = paths.map(({ totalReturn }) => totalReturn);
  return {
    shuffled: { drawdown: bandOf(shuffled) },
    resampled: {
      totalReturn: bandOf(finals),
      drawdown: bandOf(paths.map(({ drawdown }) => drawdown)),
      lossShare: finals.filter((value) => value < 0).length / RUNS,
    },
  };
}
