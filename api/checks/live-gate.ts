import type { z } from 'zod';
import { checkBars, type GateBars, type GateCheck, gateBars, gateFacts, USUAL_BARS } from '#core/research/live-gate.ts';
import { mergePatch } from '#core/merge.ts';
import type { ProfileId } from '#core/ids.ts';
import { findTested, readGateBars } from '#storage/research/live-checks.ts';
import { readRunLimits } from '#storage/trading/risk.ts';
import { listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import { requireStrategy } from './config-check.ts';
import { fingerprintsOf } from './config-fingerprint.ts';
import type { ApiContext } from '#api/frame/context.ts';
import type { liveGate } from '#api/contract/live-checks.ts';
import { untestedSentence } from './gate-untested.ts';

type LiveGate = z.output<typeof liveGate>;
type GateCoin = LiveGate['coins'][number];

/** The default bars merged with those that the operator has set. */
export async function barsOf({ database }: Pick<ApiContext, 'database'>, id: ProfileId): Promise<GateBars> {
  const stored = gateBars.partial().safeParse(await readGateBars(database.kysely, id));
  return gateBars.parse({ ...USUAL_BARS, ...stored.data });
}

const BAR_NAMES: Record<GateCheck['bar'], string> = {
  profitFactor: 'profit factor',
  closedCycles: 'closed positions',
  returnOnCapital: 'return on capital used',
  alpha: 'alpha vs. equal exposure',
  outOfSample: 'return of the last 30 % of the days',
  drawdown: 'max drawdown',
  coverage: 'candle coverage',
  ageDays: 'days since its window ended',
};
/** Decimals of percentages. Small amounts move the return on the whole balance by hundredths. */
const SHARES: ReadonlyMap<string, number> = new Map<GateCheck['bar'], number>([
  ['returnOnCapital', 2],
  ['alpha', 2],
  ['outOfSample', 1],
  ['drawdown', 1],
  ['coverage', 1],
]);

function failureOf({ bar, kind, wanted, value }: GateCheck): string {
  const formatValue = (number: number): string => {
    const decimals = SHARES.get(bar);
    if (decimals !== undefined) return `${(number * 100).toFixed(decimals)} %`;
    return String(bar === 'ageDays' ? Math.floor(number) : Number(number.toFixed(2)));
  };
  const has = value === null ? 'not known' : formatValue(value);
  return `${BAR_NAMES[bar]} ${has}, required is at ${kind} ${formatValue(wanted)}`;
}

const OLD =
  'An earlier version ran the backtest of these settings, without the return on capital used and the benchmark of equal exposure: run it again.';

async function checkCoin(
  { database, now }: ApiContext,
  profile: ProfileView,
  input: {
    readonly symbol: string;
    readonly fingerprint: string | null;
    readonly bars: GateBars;
    /** Why no run counts. */
    readonly untested: () => Promise<string>;
  },
): Promise<GateCoin> {
  const { symbol, fingerprint, bars, untested } = input;
  const none = { symbol, runId: null, finishedAt: null, checks: [] };
  if (fingerprint === null) {
    const sentence = 'The saved settings are outside their bounds, so no backtest can match them: save them again.';
    return { ...none, verdict: 'config-not-parsable', sentence };
  }
  const run = await findTested(database.kysely, { profileId: profile.id, symbol, fingerprint });
  const facts = gateFacts.safeParse(run?.result);
  if (run === undefined) {
    return { ...none, verdict: 'no-backtest', sentence: await untested() };
  }
  const tested = { symbol, runId: run.id, finishedAt: run.finishedAt };
  if (!facts.success) return { ...tested, checks: [], verdict: 'old-backtest', sentence: OLD };
  const checks = checkBars(bars, facts.data, now().getTime());
  const failed = checks.filter(({ passed }) => !passed);
  const found = { ...tested, checks };
  if (failed.length === 0)
    return {
      ...found,
      verdict: 'clear',
      sentence: `Its backtest meets ${checks.length === 1 ? 'the threshold' : `all ${checks.length} thresholds`}.`,
    };
  return { ...found, verdict: 'below-bars', sentence: `Below the thresholds: ${failed.map(failureOf).join('; ')}.` };
}

/** Checks the newest backtest of exactly the current settings, coins and limits against the bars. */
export async function readGate(context: ApiContext, profile: ProfileView): Promise<LiveGate> {
  const bars = await barsOf(context, profile.id);
  const strategy = requireStrategy(profile.strategyName);
  const bound = await listBoundSymbols(context.database.kysely, profile.id);
  const merged = bound.map(({ symbol, overrideConfig }) => ({
    symbol,
    config: strategy.plansBaskets === true ? profile.config : mergePatch(profile.config, overrideConfig),
  }));
  const coins: GateCoin[] = [];
  const { accountId, id } = profile;
  const limits = await readRunLimits(context.database.kysely, { accountId, profileIds: new Set([id]) });
  const untested = () => untestedSentence(context, id, { strategy, coins: merged, limits });
  for (const [symbol, fingerprint] of fingerprintsOf(strategy, merged, limits))
    coins.push(await checkCoin(context, profile, { symbol, fingerprint, bars, untested }));
  const short = coins.filter(({ verdict }) => verdict !== 'clear').length;
  const clear = coins.length > 0 && short === 0;
  const first = clear
    ? 'A backtest of exactly these settings meets the thresholds.'
    : coins.length === 0
      ? 'The profile has no coin to test.'
      : `${short} of ${coins.length} ${coins.length === 1 ? 'has' : 'have'} no backtest of exactly these settings that meets the thresholds.`;
  return {
    bars,
    clear,
    coins,
    sentence: `${first} This is advice: past results do not predict the future, and trading is not stopped.`,
  };
}
