import { z } from 'zod';

const verdict = z.enum(['undecided', 'as-tested', 'worse']);
type Verdict = z.output<typeof verdict>;

const test = z.object({
  measure: z.enum(['win-rate', 'profit-factor', 'slippage']),
  /** Unit: share for a win rate, plain number for a profit factor, bps for slippage. */
  tested: z.number().nullable(),
  live: z.number().nullable(),
  /** Closed positions, or orders for slippage. */
  samples: z.number(),
  /** Log likelihood ratio. From ln(0.9 / 0.01) on: worse than tested. Down from ln(0.1 / 0.99): as tested. */
  evidence: z.number(),
  verdict,
  sentence: z.string(),
});
type Test = z.output<typeof test>;

const trade = z.object({ at: z.iso.datetime(), quantity: z.string(), price: z.string(), reason: z.string() });

const comparedCoin = z.object({
  symbol: z.string(),
  /** Why the coin could not be replayed; all other fields are then empty. */
  refused: z.string().nullable(),
  /** Start of the replay: before the day when a position was already open. */
  replayedFrom: z.iso.datetime().nullable(),
  /** Closes at which both decided, and how many decisions agreed. */
  compared: z.number(),
  agreed: z.number(),
  /** The first different closes: both reason codes, and the sentence of the live decision. */
  differing: z.array(z.object({ at: z.iso.datetime(), live: z.string(), replayed: z.string(), sentence: z.string() })),
  /** Orders of both, paired by side and time; null when one has no order. `bps` above zero: live was worse. */
  fills: z.array(
    z.object({
      side: z.enum(['buy', 'sell']),
      live: trade.nullable(),
      replayed: trade.nullable(),
      bps: z.number().nullable(),
      why: z.string().nullable(),
    }),
  ),
});

/** Live trading compared with what was tested. The worker writes it every night, the api shows it. */
export const liveComparison = z.object({
  /** Results since a backtest became the reference, compared with its results; null without a reference. */
  reference: z
    .object({
      at: z.iso.datetime(),
      runId: z.string(),
      since: z.iso.datetime(),
      verdict,
      tests: z.array(test),
    })
    .nullable(),
  /** The last day, replayed with the current settings; null before the first comparison. */
  day: z
    .object({
      at: z.iso.datetime(),
      from: z.iso.datetime(),
      to: z.iso.datetime(),
      coins: z.array(comparedCoin),
    })
    .nullable(),
});
export type LiveComparison = z.output<typeof liveComparison>;
export type ComparedCoin = z.output<typeof comparedCoin>;

/** Probability of a false alarm, and probability of a missed decline. */
const ALPHA = 0.01;
const BETA = 0.1;
/** Wald's bounds of the logarithm of the likelihood ratio. */
const UPPER = Math.log((1 - BETA) / ALPHA);
const LOWER = Math.log(BETA / (1 - ALPHA));

/**
 * Sequential probability ratio test (A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical
 * Statistics 16, 1945) with alpha 1 % and beta 10 %: `steps` are the log likelihood ratios of each observation, "worse"
 * against "as tested". After "as tested" it restarts (E. S. Page, "Continuous Inspection Schemes", Biometrika 41, 1954),
 * so that a later decline is seen too; both chances hold for each such round. "Worse" stays.
 */
function sequential(steps: readonly number[]): Pick<Test, 'evidence' | 'verdict'> {
  let evidence = 0;
  let found: Verdict = 'undecided';
  for (const step of steps) {
    evidence += step;
    if (evidence >= UPPER) return { evidence, verdict: 'worse' };
    if (evidence > LOWER) continue;
    found = 'as-tested';
    evidence = 0;
  }
  return { evidence, verdict: found };
}

interface Means {
  readonly tested: number;
  readonly worse: number;
  readonly deviation: number;
}

/** Steps of a test between two means of normal observations with one deviation. */
const normalSteps = (values: readonly number[], { tested, worse, deviation }: Means): number[] =>
  values.map((x) => ((worse - tested) / deviation ** 2) * (x - (tested + worse) / 2));

const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, values.length - 1));
}

/** A closed position: its net P&L, and that as a share of its cost. */
export interface Outcome {
  readonly net: number;
  readonly share: number;
}

function winRate(cycles: readonly Outcome[]): number | null {
  return cycles.length === 0 ? null : cycles.filter(({ net }) => net > 0).length / cycles.length;
}
function profitFactor(cycles: readonly Outcome[]): number | null {
  const lost = -cycles.reduce((sum, { net }) => sum + Math.min(net, 0), 0);
  return lost === 0 ? null : cycles.reduce((sum, { net }) => sum + Math.max(net, 0), 0) / lost;
}

interface Results {
  readonly tested: { readonly cycles: readonly Outcome[]; readonly slippageBps: number };
  /** In order of time. Slippage of each market order in bps, worse above 0. */
  readonly live: { readonly cycles: readonly Outcome[]; readonly slippages: readonly number[] };
}

/** Minimum number of tested positions for a comparison. */
const LEAST_TESTED = 10;
/** Definition of worse: three quarters of the win rate, no gain, this much more slippage. */
const WORSE_WINS = 0.75;
const WORSE_BPS = 10;
/** Minimum deviation of slippage: a few similar orders do not show the spread of later ones. */
const LEAST_BPS = 5;

const fixed = (value: number | null, places: number): string => (value === null ? 'none' : value.toFixed(places));

/**
 * Compares live results with those of a backtest by three tests. Win rate: wins and losses against three quarters of the
 * tested rate. Profit factor: the return of each position, normal with the tested mean and deviation, against a mean of 0
 * (profit factor 1). Slippage: normal with the deviation of the live orders, against 10 bps more.
 */
export function compareResults({ tested, live }: Results): Test[] {
  const enough = tested.cycles.length >= LEAST_TESTED;
  const few = `The backtest closed fewer than ${LEAST_TESTED} positions, which is too few for a comparison.`;
  const samples = live.cycles.length;
  const rate = { tested: winRate(tested.cycles), live: winRate(live.cycles) };
  const wins = Math.min(0.98, Math.max(0.02, rate.tested ?? 0.5));
  const worseWins = wins * WORSE_WINS;
  const winSteps = live.cycles.map(({ net }) => Math.log(net > 0 ? worseWins / wins : (1 - worseWins) / (1 - wins)));
  const won = fixed(rate.live === null ? null : rate.live * 100, 0);

  const shares = tested.cycles.map(({ share }) => share);
  const mean = enough ? meanOf(shares) : 0;
  const returns = { tested: mean, worse: 0, deviation: Math.max(1e-9, deviationOf(shares)) };
  const returnSteps = normalSteps(
    live.cycles.map(({ share }) => share),
    returns,
  );
  const factor = { tested: profitFactor(tested.cycles), live: profitFactor(live.cycles) };
  const factors = `Profit factor ${fixed(factor.live, 2)} over ${samples} closed positions; tested ${fixed(factor.tested, 2)}.`;
  const nothing = 'The backtest made no profit, so live trading cannot be worse.';

  const { slippages } = live;
  const bps = tested.slippageBps;
  const slippage = { tested: bps, live: slippages.length === 0 ? null : meanOf(slippages) };
  const costs = { tested: bps, worse: bps + WORSE_BPS, deviation: Math.max(LEAST_BPS, deviationOf(slippages)) };
  return [
    {
      ...{ measure: 'win-rate', ...rate, samples, ...sequential(enough ? winSteps : []) },
      sentence: enough ? `Won ${won} % of ${samples} closed positions; tested ${fixed(wins * 100, 0)} %.` : few,
    },
    {
      ...{ measure: 'profit-factor', ...factor, samples, ...sequential(mean > 0 ? returnSteps : []) },
      sentence: !enough ? few : mean > 0 ? factors : nothing,
    },
    {
      ...{ measure: 'slippage', ...slippage, samples: slippages.length, ...sequential(normalSteps(slippages, costs)) },
      sentence: `Orders at the market filled ${fixed(slippage.live, 1)} bps worse than decided, over ${slippages.length}; tested ${fixed(bps, 1)} bps.`,
    },
  ];
}

/** Worse when one test says so. As tested when every test with data says so. */
export function verdictOf(tests: readonly Test[]): Verdict {
  if (tests.some((one) => one.verdict === 'worse')) return 'worse';
  const seen = tests.filter(({ samples }) => samples > 0);
  return seen.length > 0 && seen.every((one) => one.verdict === 'as-tested') ? 'as-tested' : 'undecided';
}
