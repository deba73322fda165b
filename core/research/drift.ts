import { z } from 'zod';

/** Live trading since a backtest was pinned. The worker writes it, the api shows it. */
export const driftReport = z.object({
  at: z.iso.datetime(),
  /** The pinned backtest, and the start of the comparison with live trading. */
  runId: z.string(),
  since: z.iso.datetime(),
  verdict: z.enum(['undecided', 'as-tested', 'worse']),
  tests: z.array(
    z.object({
      measure: z.enum(['win-rate', 'profit-factor', 'slippage']),
      /** Unit: share for a win rate, plain number for a profit factor, bps for slippage. */
      tested: z.number().nullable(),
      live: z.number().nullable(),
      /** Closed positions, or orders for slippage. */
      samples: z.number(),
      /** Log likelihood ratio. At or above `upper`: worse than tested. At or below `lower`: as tested. */
      evidence: z.number(),
      lower: z.number(),
      upper: z.number(),
      verdict: z.enum(['undecided', 'as-tested', 'worse']),
      sentence: z.string(),
    }),
  ),
});
export type DriftReport = z.output<typeof driftReport>;

type Test = DriftReport['tests'][number];
type DriftVerdict = DriftReport['verdict'];

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
function sequential(steps: readonly number[]): Pick<Test, 'evidence' | 'lower' | 'upper' | 'verdict'> {
  let evidence = 0;
  let verdict: DriftVerdict = 'undecided';
  for (const step of steps) {
    evidence += step;
    if (evidence >= UPPER) {
      verdict = 'worse';
      break;
    }
    if (evidence > LOWER) continue;
    verdict = 'as-tested';
    evidence = 0;
  }
  return { evidence, lower: LOWER, upper: UPPER, verdict };
}

/** Steps of a test between two means of normal observations with one deviation. */
const normalSteps = (values: readonly number[], { tested, worse, deviation }: Means): number[] =>
  values.map((x) => ((worse - tested) / deviation ** 2) * (x - (tested + worse) / 2));
interface Means {
  readonly tested: number;
  readonly worse: number;
  readonly deviation: number;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, values.length - 1));
}

const winShare = (nets: readonly number[]): number | null =>
  nets.length === 0 ? null : nets.filter((net) => net > 0).length / nets.length;
function factorOf(nets: readonly number[]): number | null {
  const lost = -nets.reduce((sum, net) => sum + Math.min(net, 0), 0);
  return lost === 0 ? null : nets.reduce((sum, net) => sum + Math.max(net, 0), 0) / lost;
}

/** A closed position: its net P&L, and that as a share of its cost. */
export interface Outcome {
  readonly net: number;
  readonly share: number;
}

interface DriftInput {
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

const round = (value: number | null, places: number): string => (value === null ? 'none' : value.toFixed(places));

/**
 * Compares live trading with a backtest by three tests. Win rate: wins and losses against three quarters of the tested
 * rate. Profit factor: the return of each position, normal with the tested mean and deviation, against a mean of 0 (profit
 * factor 1). Slippage: normal with the deviation of the live orders, against 10 bps more.
 */
export function driftTests({ tested, live }: DriftInput): DriftReport['tests'] {
  const nets = { tested: tested.cycles.map(({ net }) => net), live: live.cycles.map(({ net }) => net) };
  const shares = { tested: tested.cycles.map(({ share }) => share), live: live.cycles.map(({ share }) => share) };
  const enough = nets.tested.length >= LEAST_TESTED;
  const wins = Math.min(0.98, Math.max(0.02, winShare(nets.tested) ?? 0.5));
  const worseWins = wins * WORSE_WINS;
  const mean = enough ? meanOf(shares.tested) : 0;
  const usual = { tested: mean, worse: 0, deviation: Math.max(1e-9, deviationOf(shares.tested)) };
  const bps = tested.slippageBps;
  const spread = { tested: bps, worse: bps + WORSE_BPS, deviation: Math.max(LEAST_BPS, deviationOf(live.slippages)) };
  const winSteps = nets.live.map((net) => Math.log(net > 0 ? worseWins / wins : (1 - worseWins) / (1 - wins)));
  const few = `The backtest closed fewer than ${LEAST_TESTED} positions, which is too few for a comparison.`;
  const rate = { tested: winShare(nets.tested), live: winShare(nets.live), samples: nets.live.length };
  const factor = { tested: factorOf(nets.tested), live: factorOf(nets.live), samples: nets.live.length };
  const slipped = {
    tested: bps,
    live: live.slippages.length === 0 ? null : meanOf(live.slippages),
    samples: live.slippages.length,
  };
  const won = rate.live === null ? null : rate.live * 100;
  const winWords = `Won ${round(won, 0)} % of ${rate.samples} closed positions; tested ${round(wins * 100, 0)} %.`;
  const factorWords = `Profit factor ${round(factor.live, 2)} over ${factor.samples} closed positions; tested ${round(factor.tested, 2)}.`;
  const nothing = 'The backtest made no profit, so live trading cannot be worse.';
  return [
    { measure: 'win-rate', ...rate, ...sequential(enough ? winSteps : []), sentence: enough ? winWords : few },
    {
      measure: 'profit-factor',
      ...factor,
      ...sequential(mean > 0 ? normalSteps(shares.live, usual) : []),
      sentence: !enough ? few : mean > 0 ? factorWords : nothing,
    },
    {
      measure: 'slippage',
      ...slipped,
      ...sequential(normalSteps(live.slippages, spread)),
      sentence: `Orders at the market filled ${round(slipped.live, 1)} bps worse than decided, over ${slipped.samples}; tested ${round(bps, 1)} bps.`,
    },
  ];
}

/** Worse when one test says so. As tested when every test with data says so. */
export function driftVerdict(tests: DriftReport['tests']): DriftVerdict {
  if (tests.some(({ verdict }) => verdict === 'worse')) return 'worse';
  const seen = tests.filter(({ samples }) => samples > 0);
  return seen.length > 0 && seen.every(({ verdict }) => verdict === 'as-tested') ? 'as-tested' : 'undecided';
}
