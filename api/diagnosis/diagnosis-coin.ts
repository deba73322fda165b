import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { mergePatch } from '#core/merge.ts';
import type { AccountRunState } from '#core/installation/cache-keys.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { CoinView } from '#api/views/coins.ts';
import { amountPath, requireStrategy } from '#api/checks/config-check.ts';
import type { DiagnosisCheck, DiagnosisReport } from '#api/contract/diagnosis.ts';
import { type Setting, settingAt, settingFor } from '#api/checks/reason-to-setting.ts';
import { checkSizing, type EquityOf, WHAT_TO_DO } from '#api/checks/sizing-check.ts';
import { parseWith } from '#api/frame/validate.ts';
import type { CachedWallet, Rules } from '#api/frame/venues.ts';

type CoinReport = DiagnosisReport['coins'][number];
type Status = DiagnosisCheck['status'];
/** What a check came to: how it stands, in which words, and what is to be changed. */
export type Found = readonly [Status, string, Setting | null] | readonly [Status, string];

const LABELS = {
  worker: 'Worker',
  lease: 'Account taken',
  running: 'Account runs',
  account: 'Account',
  key: 'API key',
  enabled: 'Profile',
  coins: 'Coins',
  halts: 'Kill switch',
  rules: 'Trading rules',
  limits: 'Limits',
  log: 'Last day',
  config: 'Settings',
  opened: 'Coin runs',
  pause: 'Pause',
  listed: 'Exchange',
  price: 'Price',
  orphans: 'Orphan orders',
  'coin-limits': 'Limits of the coin',
  sizing: 'Order size',
  balance: 'Balance',
  decision: 'Last decision',
};

/** `evidence` in order; what is not known is left out. */
export function check(
  id: keyof typeof LABELS,
  evidence: Readonly<Record<string, string | number | null | undefined>>,
  [status, line, setting = null]: Found,
): DiagnosisCheck {
  const known = Object.entries(evidence).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [{ name, value: String(value) }],
  );
  return { id, label: LABELS[id], status, line, evidence: known, setting };
}

/** A page where something that is no field is changed. */
export const pageLink = (words: string, place: string): Setting => ({ words, place, path: null, value: null });

const STALE = 'stale-price';
/** What a strategy answers whose settings forbid to buy. */
const BUYING_OFF = 'entry-disabled';
/** A worker that trades a coin decides at least this often. */
const QUIET_S = 300;

const RANK: readonly Status[] = ['ok', 'warn', 'unknown', 'fail'];
const worstOf = (checks: readonly DiagnosisCheck[]): Status =>
  checks.reduce<Status>((worst, { status }) => (RANK.indexOf(status) > RANK.indexOf(worst) ? status : worst), 'ok');

interface ProfileContext {
  readonly profile: ProfileView;
  readonly rules: Rules | undefined;
  readonly wallet: CachedWallet | undefined;
  readonly equity: EquityOf;
  /** Seconds since a moment of the market, as a clock on the wall counts them. */
  readonly ago: (at: string) => number;
  /** Somebody decides: a worker runs, and the profile is enabled. */
  readonly alive: boolean;
  /** The limit that cannot count this coin, in a sentence. */
  readonly uncounted: (symbol: string) => string | undefined;
  /** Coins of the profile that do not run as they should. */
  readonly troubles: AccountRunState['coins'];
}

export const faultText = ({ count, since, cause }: NonNullable<AccountRunState['faults']>): string =>
  `The account has stopped on a fault ${count === 1 ? 'once' : `${count} times`} since ${since} and starts again each time. The cause: ${cause}`;

/** A coin with the settings that hold for it. */
interface CoinContext extends ProfileContext {
  readonly coin: CoinView;
  readonly strategy: AnyStrategy;
  readonly merged: unknown;
  /** The page of these settings. */
  readonly page: string;
}

function configFound({ strategy, merged, page }: CoinContext): Found {
  const parsed = parseWith(strategy.config, merged);
  if (parsed.success) return ['ok', 'They are legal.'];
  const [issue] = parsed.error.issues;
  const { readable, unreadablePath } = strategy.bind(merged);
  const path = unreadablePath ?? issue?.path.join('.') ?? '';
  const setting = settingAt(strategy, merged, { path, page });
  if (!readable) return ['fail', `${path} cannot be read, so nothing is bought: correct and save it.`, setting];
  const harm = 'it trades on, but correct and save it, or orders cannot be sized, adopted and proven';
  return ['warn', `${path} is outside its bounds (${issue?.message ?? ''}): ${harm}.`, setting];
}

function sizingFound({ coin, rules, strategy, merged, page, equity }: CoinContext): Found {
  const { symbol, price, priceAt } = coin;
  const cached = price === null ? undefined : { price: requireDecimal(price), at: priceAt ?? '' };
  const bound = strategy.bind(merged);
  const sizing = checkSizing({ symbol, bound, rules: rules?.get(symbol), price: cached, equity });
  if (sizing.kind === 'skipped') return ['unknown', WHAT_TO_DO[sizing.reason]];
  if (sizing.kind === 'ok') return ['ok', 'An order of this size is accepted, and can be sold again.'];
  const path = amountPath(strategy, merged);
  const amount = path === null ? null : settingAt(strategy, merged, { path, page });
  return ['fail', `Its budget is too small: the config ${sizing.message}.`, amount];
}

function moneyChecks(context: CoinContext): DiagnosisCheck[] {
  const { coin, rules, wallet, strategy, merged, page } = context;
  const { symbol, price, quoteAsset: asset } = coin;
  const least = rules?.get(symbol)?.notional.min;
  const { levels, entryBudget } = strategy.bind(merged).shared;
  const wanted = levels?.[0]?.spend ?? entryBudget;
  const budget = wanted === 0n ? null : formatDecimal(wanted);
  const free = asset === null || wallet === undefined ? undefined : requireDecimal(wallet.balances[asset]?.free ?? '0');
  const freeText = free === undefined ? null : formatDecimal(free);
  const amount = settingFor(strategy, merged, { reason: 'size-no-funds', page });
  const some = `Only ${freeText} ${asset} are free`;
  const money = (): Found => {
    if (free === undefined) return ['unknown', 'The wallet has not been read yet.'];
    if (free >= wanted) return ['ok', `${freeText} ${asset} are free.`];
    return free < (least ?? wanted)
      ? ['fail', `${some}, too little for any order: add some, or wait for a sale.`, amount]
      : ['warn', `${some} of the ${budget} wanted: it buys less.`, amount];
  };
  return [
    check('sizing', { budget, price, minimum: least && formatDecimal(least) }, sizingFound(context)),
    check('balance', { free: freeText, budget, asset, readAt: wallet?.at }, money()),
  ];
}

function openedFound(trouble: AccountRunState['coins'][number] | undefined): Found {
  if (trouble === undefined) return ['ok', 'Nothing keeps it from running.'];
  const { cause, nextAt, runs } = trouble;
  const next = nextAt === null ? '' : ` The next attempt is at ${nextAt}.`;
  return ['fail', `${runs ? 'Nothing is bought' : 'It is not traded'}: ${cause}${next}`];
}

function listedFound(rules: Rules | undefined, status: string | undefined): Found {
  if (rules === undefined) return ['unknown', WHAT_TO_DO.rules_not_loaded];
  if (status === undefined) return ['fail', 'The exchange does not list it.'];
  return status === 'TRADING' ? ['ok', 'It trades it.'] : ['fail', `The exchange does not trade it now (${status}).`];
}

/** A coin that nobody trades keeps its last price: only the worker knows whether it would have heard of another one. */
function priceFound({ price, state }: CoinView, agoSeconds: number | null): Found {
  if (price === null) return ['unknown', 'No price has arrived yet.'];
  const stale = state?.approval.reason === STALE || state?.decision.reason === STALE;
  return stale ? ['fail', state.decision.sentence] : ['ok', `It last changed ${agoSeconds} s ago.`];
}

function orphansFound({ blockers: [orphan] }: CoinView): Found {
  if (orphan === undefined) return ['ok', 'None locks it.'];
  const { left, orders } = orphan.numbers;
  return [
    Number(left ?? 0) < Number(orders ?? 0) ? 'fail' : 'warn',
    orphan.sentence,
    pageLink('Orphan orders', '/orphans'),
  ];
}

function marketChecks({ coin, rules, ago, uncounted, profile, troubles }: CoinContext): DiagnosisCheck[] {
  const { symbol, pause, price, priceAt } = coin;
  const status = rules?.get(symbol)?.status;
  const own = `/profiles/${profile.id}`;
  const agoSeconds = priceAt === null ? null : ago(priceAt);
  const limit = uncounted(symbol);
  const paused: Found = [
    'fail',
    `Buying is paused until ${pause?.until}.`,
    pageLink('Pause', `${own}/coins/${symbol}`),
  ];
  const asset = { ...pageLink('Limits', `${own}/risk`), path: 'asset' };
  const trouble = troubles.find((one) => one.symbol === symbol);
  return [
    check('opened', { nextAt: trouble?.nextAt }, openedFound(trouble)),
    check('pause', { until: pause?.until, reason: pause?.reason }, pause === null ? ['ok', 'There is none.'] : paused),
    check('listed', { status }, listedFound(rules, status)),
    check('price', { price, at: priceAt, agoSeconds }, priceFound(coin, agoSeconds)),
    check('orphans', coin.blockers[0]?.numbers ?? {}, orphansFound(coin)),
    check('coin-limits', {}, limit === undefined ? ['ok', 'They can count it.'] : ['fail', limit, asset]),
  ];
}

function decisionCheck({ coin: { state }, ago, alive, strategy, merged, page }: CoinContext): DiagnosisCheck {
  if (state === null) return check('decision', {}, ['unknown', 'No decision has been made yet.']);
  const { decision, approval, at } = state;
  const reason = approval.reason ?? decision.reason;
  const unprotected = state.protection?.unprotectedSeconds ?? 0;
  const evidence = { at, reason, ...decision.numbers, ...(unprotected > 0 && { withoutStopSeconds: unprotected }) };
  const quiet = ago(at);
  const late = `Nothing has been decided for ${quiet} s; the last word was: ${decision.sentence}`;
  if (alive && quiet > QUIET_S) return check('decision', evidence, ['warn', late]);
  const setting = settingFor(strategy, merged, { reason, page });
  return check('decision', evidence, [
    approval.kind === 'refused' || reason === BUYING_OFF ? 'fail' : 'ok',
    decision.sentence,
    setting,
  ]);
}

/** Everything about one coin, in the order in which it matters; the line is the first thing in the way. */
export function diagnoseCoin(coin: CoinView, profileContext: ProfileContext): CoinReport {
  const { symbol, overrideConfig, state } = coin;
  const { profile } = profileContext;
  const page = `/profiles/${profile.id}/config${Object.keys(overrideConfig).length > 0 ? `?coin=${symbol}` : ''}`;
  const merged = mergePatch(profile.config, overrideConfig);
  const strategy = requireStrategy(profile.strategyName);
  const context = { ...profileContext, coin, page, merged, strategy };
  const decided = decisionCheck(context);
  const checks = [
    check('config', {}, configFound(context)),
    ...marketChecks(context),
    ...moneyChecks(context),
    decided,
  ];
  const status = worstOf(checks);
  const first = status === 'fail' ? checks.find((one) => one.status === 'fail') : undefined;
  const missing = state === null ? checks.find((one) => one.status === 'unknown') : undefined;
  return { symbol, status, line: (first ?? missing ?? decided).line, at: state?.at ?? null, checks };
}
