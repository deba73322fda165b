import { formatDecimal, readDecimal, requireDecimal } from '#core/decimal.ts';
import { mergePatch } from '#core/merge.ts';
import type { ProfileView } from '#storage/profiles.ts';
import type { CoinView } from './coins.ts';
import { requireStrategy } from './config-check.ts';
import type { DiagnosisCheck, DiagnosisReport } from './contract/diagnosis.ts';
import { type Setting, settingAt, settingFor } from './responsible.ts';
import { checkSizing, WHAT_TO_DO } from './sizing-check.ts';
import { parseWith } from './validate.ts';
import type { CachedWallet, Rules } from './venues.ts';

export type CoinReport = DiagnosisReport['coins'][number];
type Status = DiagnosisCheck['status'];
type Found = readonly [Status, string, Setting | null] | readonly [Status, string];

/** `evidence` in order; what is not known is left out. */
export function check(
  [id, label]: readonly [string, string],
  evidence: Readonly<Record<string, string | number | null | undefined>>,
  [status, line, setting = null]: Found,
): DiagnosisCheck {
  const known = Object.entries(evidence).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [{ name, value: String(value) }],
  );
  return { id, label, status, line, evidence: known, setting };
}

/** An entry needs a younger price; prices and decisions reach the cache some seconds later. */
const FRESH_S = 10;
const STALE_S = 60;
/** A worker that trades a coin decides at least this often. */
const QUIET_S = 300;

const RANK: readonly Status[] = ['ok', 'warn', 'unknown', 'fail'];
const worstOf = (checks: readonly DiagnosisCheck[]): Status =>
  checks.reduce<Status>((worst, { status }) => (RANK.indexOf(status) > RANK.indexOf(worst) ? status : worst), 'ok');

export interface CoinScene {
  readonly profile: ProfileView;
  readonly rules: Rules | undefined;
  readonly wallet: CachedWallet | undefined;
  readonly now: Date;
  /** Of the exchange, which runs faster where a market is replayed. */
  readonly marketNow: Date;
  /** Somebody decides: a worker runs, and the profile is enabled. */
  readonly alive: boolean;
  /** The limit that cannot count this coin, in a sentence. */
  readonly uncounted: (symbol: string) => string | undefined;
}

const seconds = (from: string | null | undefined, to: Date): number | null =>
  from === null || from === undefined ? null : Math.max(0, Math.round((to.getTime() - Date.parse(from)) / 1000));

function configCheck(coin: CoinView, { profile }: CoinScene, page: string): DiagnosisCheck {
  const strategy = requireStrategy(profile.strategyName);
  const merged = mergePatch(profile.config, coin.overrideConfig);
  const parsed = parseWith(strategy.config, merged);
  const label = ['config', 'Settings'] as const;
  if (parsed.success) return check(label, {}, ['ok', 'They are legal.']);
  const issue = parsed.error.issues[0];
  const bound = strategy.bind(merged);
  const path = bound.unreadablePath ?? issue?.path.join('.') ?? '';
  const setting = settingAt(strategy, merged, { path, page });
  const line = bound.readable
    ? `${path} is outside its bounds (${issue?.message ?? ''}): it trades on, but correct and save it, or orders cannot be sized, adopted and proven.`
    : `${path} cannot be read, so nothing is bought: correct and save it.`;
  return check(label, { [path]: setting.value }, [bound.readable ? 'warn' : 'fail', line, setting]);
}

function moneyChecks(coin: CoinView, { profile, rules, wallet }: CoinScene, page: string): DiagnosisCheck[] {
  const { symbol, quoteAsset, price } = coin;
  const known = rules?.get(symbol);
  const strategy = requireStrategy(profile.strategyName);
  const merged = mergePatch(profile.config, coin.overrideConfig);
  const { shared } = strategy.bind(merged);
  const parsed = price === null ? undefined : { price: requireDecimal(price), at: coin.priceAt ?? '' };
  const sizing = checkSizing({ symbol, shared, rules: known, price: parsed });
  const budget = shared.levels?.[0]?.spend ?? shared.entryBudget;
  const told = {
    budget: budget === 0n ? null : formatDecimal(budget),
    price,
    minimum: known && formatDecimal(known.notional.min),
  };
  const amount = settingFor(strategy, merged, { reason: 'size-below-minimum', page });
  const size = (found: Found) => check(['sizing', 'Order size'], told, found);
  const free =
    quoteAsset === null
      ? undefined
      : readDecimal(wallet?.balances[quoteAsset]?.free ?? (wallet === undefined ? '' : '0'));
  const money = (found: Found) =>
    check(
      ['balance', 'Balance'],
      {
        free: free === undefined ? null : formatDecimal(free),
        budget: told.budget,
        asset: quoteAsset,
        readAt: wallet?.at,
      },
      found,
    );
  return [
    sizing.kind === 'refused'
      ? size(['fail', `Its budget is too small: the config ${sizing.message}.`, amount])
      : size(
          sizing.kind === 'skipped'
            ? ['unknown', WHAT_TO_DO[sizing.reason]]
            : ['ok', 'An order of this size is accepted, and can be sold again.'],
        ),
    free === undefined
      ? money(['unknown', 'The wallet has not been read yet.'])
      : budget === 0n || free >= budget
        ? money(['ok', `${formatDecimal(free)} ${quoteAsset} are free.`])
        : free < (known?.notional.min ?? budget)
          ? money([
              'fail',
              `Only ${formatDecimal(free)} ${quoteAsset} are free, too little for any order: add some, or wait for a sale.`,
              amount,
            ])
          : money([
              'warn',
              `Only ${formatDecimal(free)} ${quoteAsset} are free of the ${told.budget} wanted: it buys less.`,
              amount,
            ]),
  ];
}

function marketChecks(coin: CoinView, { rules, marketNow, uncounted, profile }: CoinScene): DiagnosisCheck[] {
  const { symbol, pause } = coin;
  const status = rules?.get(symbol)?.status ?? null;
  const page = `/profiles/${profile.id}/coins/${symbol}`;
  const aside = (words: string, place: string): Setting => ({ words, place, path: null, value: null });
  const age = seconds(coin.priceAt, marketNow);
  const orphan = coin.blockers[0];
  const locked = orphan === undefined ? ({} as const) : orphan.numbers;
  const undecided = Number(locked['left'] ?? 0) < Number(locked['orders'] ?? 0);
  const limit = uncounted(symbol);
  const price = (found: Found) =>
    check(['price', 'Price'], { price: coin.price, at: coin.priceAt, ageSeconds: age }, found);
  return [
    check(
      ['pause', 'Pause'],
      { until: pause?.until, reason: pause?.reason },
      pause === null
        ? ['ok', 'It is not paused.']
        : ['fail', `Buying is paused until ${pause.until}.`, aside('Pause of the coin', page)],
    ),
    check(
      ['listed', 'Exchange'],
      { status },
      rules === undefined
        ? ['unknown', WHAT_TO_DO.rules_not_loaded]
        : status === null
          ? ['fail', 'The exchange does not list it.']
          : status === 'TRADING'
            ? ['ok', 'The exchange trades it.']
            : ['fail', `The exchange does not trade it now (${status}).`],
    ),
    age === null
      ? price(['unknown', 'No price has arrived yet.'])
      : price(
          age > STALE_S
            ? ['fail', `The last price is ${age} s old; a buy needs one younger than ${FRESH_S} s.`]
            : age > FRESH_S
              ? ['warn', `The last price is ${age} s old.`]
              : ['ok', 'It is fresh.'],
        ),
    check(
      ['orphans', 'Orphan orders'],
      locked,
      orphan === undefined
        ? ['ok', 'None locks it.']
        : [undecided ? 'fail' : 'warn', orphan.sentence, aside('Orphan orders', '/orphans')],
    ),
    check(
      ['coin-limits', 'Limits of the coin'],
      {},
      limit === undefined
        ? ['ok', 'They can count it.']
        : ['fail', limit, { words: 'Limits', place: `/profiles/${profile.id}/risk`, path: 'asset', value: null }],
    ),
  ];
}

function decisionCheck(
  { state, overrideConfig }: CoinView,
  { profile, now, alive }: CoinScene,
  page: string,
): DiagnosisCheck {
  const label = ['decision', 'Last decision'] as const;
  if (state === null) return check(label, {}, ['unknown', 'No decision has been made yet.']);
  const { decision, approval, at } = state;
  const strategy = requireStrategy(profile.strategyName);
  const reason = approval.reason ?? decision.reason;
  const setting = settingFor(strategy, mergePatch(profile.config, overrideConfig), { reason, page });
  const bare = state.protection?.unprotectedSeconds ?? 0;
  const evidence = { at, reason, ...decision.numbers, ...(bare > 0 && { withoutStopSeconds: bare }) };
  const quiet = seconds(at, now) ?? 0;
  if (alive && quiet > QUIET_S)
    return check(label, evidence, [
      'warn',
      `Nothing has been decided for ${quiet} s; the last word was: ${decision.sentence}`,
    ]);
  return check(label, evidence, [approval.kind === 'refused' ? 'fail' : 'ok', decision.sentence, setting]);
}

/** Everything about one coin, in the order in which it matters; the line is the first thing in the way. */
export function diagnoseCoin(coin: CoinView, scene: CoinScene): CoinReport {
  const { symbol, overrideConfig, state } = coin;
  const own = Object.keys(overrideConfig).length > 0 ? `?coin=${symbol}` : '';
  const page = `/profiles/${scene.profile.id}/config${own}`;
  const decided = decisionCheck(coin, scene, page);
  const checks = [
    configCheck(coin, scene, page),
    ...marketChecks(coin, scene),
    ...moneyChecks(coin, scene, page),
    decided,
  ];
  const status = worstOf(checks);
  const first = status === 'fail' ? checks.find((one) => one.status === 'fail') : undefined;
  const missing = state === null ? checks.find((one) => one.status === 'unknown') : undefined;
  return { symbol, status, line: (first ?? missing ?? decided).line, at: state?.at ?? null, checks };
}
