import { add, type Decimal, formatDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { type DryRunCoin, type DryRunResult, type DryRunTotal, MOST_DIFFERENCES } from '#core/research/dry-run.ts';
import { coverageOf } from './columns.ts';
import { type DecidedSide, decideSide, isSameDecision, moneyOf, NO_SIDE } from './dry-run-side.ts';
import type { AccountLimits } from './portfolio-limits.ts';
import { iso } from './records.ts';
import { type BacktestInput, openKernel } from './run.ts';
import type { KernelInput } from './run-state.ts';

/** A coin with both configs over the same candles, or the sentence why it has no input. */
export interface DryRunCoinInput {
  readonly symbol: string;
  readonly quoteAsset: string;
  readonly input: { readonly present: BacktestInput; readonly changed: BacktestInput } | { readonly refused: string };
}

interface DryRunInput {
  readonly profileId: ProfileId;
  readonly coins: readonly DryRunCoinInput[];
  readonly limits?: AccountLimits;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A coin that can be computed on both sides. */
interface Pair {
  readonly symbol: string;
  readonly present: KernelInput;
  readonly changed: KernelInput;
}

const SIDES = ['present', 'changed'] as const;

/**
 * Computes a profile with its present and with its changed config, over the same candles and from the same start, and
 * compares them. Coins with one quote asset share a balance, as in a backtest. A coin that cannot be computed is named with
 * the reason; the others are computed without it.
 */
export function compareDryRun(input: DryRunInput): Omit<DryRunResult, 'assumptions'> {
  const { coins, fromMs, toMs } = input;
  const refused = new Map<string, string>();
  const pairs = openPairs(coins, refused);
  const found = new Map<string, DryRunCoin>();
  const totals: DryRunTotal[] = [];
  for (const [quoteAsset, group] of Map.groupBy(pairs, ({ present }) => present.rules.quoteAsset)) {
    const compared = compareGroup(group, input, refused);
    if (compared === undefined) continue;
    for (const coin of compared.coins) found.set(coin.symbol, coin);
    totals.push({ quoteAsset, ...compared.total });
  }
  const all = coins.map(
    ({ symbol, quoteAsset }) =>
      found.get(symbol) ?? noCoin({ symbol, quoteAsset, refused: refused.get(symbol) ?? 'It was not computed.' }),
  );
  const sum = (count: (coin: DryRunCoin) => number): number => all.reduce((total, coin) => total + count(coin), 0);
  return {
    ...{ from: iso(fromMs), to: iso(toMs), coins: all, totals },
    decisions: sum(({ present }) => present.decisions),
    differing: sum(({ differing }) => differing),
  };
}

const noCoin = (coin: Pick<DryRunCoin, 'symbol' | 'quoteAsset' | 'refused'>): DryRunCoin => ({
  ...coin,
  ...{ candles: 0, missing: 0, differing: 0, first: null, recent: [], present: NO_SIDE, changed: NO_SIDE },
});

/** The coins that open on both sides; the others are added to `refused`. */
function openPairs(coins: readonly DryRunCoinInput[], refused: Map<string, string>): Pair[] {
  const planners: Partial<Record<(typeof SIDES)[number], BacktestInput['bound']>> = {};
  const pairs: Pair[] = [];
  for (const { symbol, input } of coins) {
    if ('refused' in input) {
      refused.set(symbol, input.refused);
      continue;
    }
    const [present, changed] = SIDES.map((side) => {
      const own = input[side];
      // Coins of one planner share the bound strategy of the first coin.
      const planner = own.bound.planner === undefined ? undefined : (planners[side] ??= own.bound);
      return openKernel(planner === undefined ? own : { ...own, bound: planner }, { basket: true });
    });
    if (present?.kind === 'kernel' && changed?.kind === 'kernel')
      pairs.push({ symbol, present: present.kernel, changed: changed.kernel });
    else if (present?.kind === 'refused') refused.set(symbol, present.sentence);
    else if (changed?.kind === 'refused') refused.set(symbol, `With the changed config: ${changed.sentence}`);
  }
  return pairs;
}

type Decided = Record<(typeof SIDES)[number], DecidedSide>;

/** Both sides of coins that share a balance. A coin whose strategy throws is left out, and the others run without it. */
function compareGroup(group: readonly Pair[], input: DryRunInput, refused: Map<string, string>) {
  let pairs = group;
  let decided: Decided;
  try {
    decided = decideBoth(pairs, input);
  } catch {
    pairs = pairs.filter((pair) => {
      const cause = causeOf(pair, input);
      if (cause !== undefined) refused.set(pair.symbol, cause);
      return cause === undefined;
    });
    if (pairs.length === 0) return undefined;
    decided = decideBoth(pairs, input);
  }
  const coins = pairs.map((pair, i) => compareCoin(pair, decided, i));
  const [first] = pairs;
  const start = (side: DecidedSide): Decimal => side.coins.reduce((sum, { held }) => add(sum, held), ZERO);
  const total = {
    balance: formatDecimal(first?.present.terms.balance ?? ZERO),
    held: formatDecimal(start(decided.present)),
    present: moneyOf(coins.map(({ present }) => present)),
    changed: moneyOf(coins.map(({ changed }) => changed)),
  };
  return { coins, total };
}

const decideBoth = (pairs: readonly Pair[], { profileId, limits }: DryRunInput): Decided => {
  const decide = (side: (typeof SIDES)[number]): DecidedSide =>
    decideSide({ profiles: [{ id: profileId, coins: pairs.map((pair) => pair[side]) }], ...(limits && { limits }) });
  return { present: decide('present'), changed: decide('changed') };
};

/** Why a coin cannot be computed alone; undefined when it can. */
function causeOf(pair: Pair, input: DryRunInput): string | undefined {
  try {
    decideBoth([pair], input);
    return undefined;
  } catch (error) {
    return `Its strategy has failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function compareCoin({ symbol, present: kernel }: Pair, sides: Decided, nth: number): DryRunCoin {
  const [present, changed] = [sides.present.coins[nth], sides.changed.coins[nth]];
  if (present === undefined || changed === undefined) throw new RangeError(`${symbol} has only one side`);
  let differing = 0;
  let first: DryRunCoin['first'] = null;
  const recent: DryRunCoin['recent'] = [];
  for (const [i, atMs] of present.times.entries()) {
    const [one, other] = [present.decisionAt(i), changed.decisionAt(i)];
    if (isSameDecision(one, other)) continue;
    differing += 1;
    const difference = { at: iso(atMs), present: one, changed: other };
    first ??= difference;
    recent.unshift(difference);
    if (recent.length > MOST_DIFFERENCES) recent.pop();
  }
  const { candles, missing } = coverageOf(kernel.detail, kernel.start, kernel.end);
  const { quoteAsset } = kernel.rules;
  return {
    ...{ symbol, quoteAsset, refused: null, candles, missing, differing, first, recent },
    ...{ present: present.side, changed: changed.side },
  };
}
