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
/** Result of a check: status, sentence, and the setting to change. */
export type Found = readonly [Status, string, Setting | null] | readonly [Status, string];

const LABELS = {
  worker: 'Worker',
  lease: 'Account lease',
  running: 'Account state',
  account: 'Account',
  key: 'API key',
  enabled: 'Profile',
  coins: 'Coins',
  halts: 'Kill switch',
  rules: 'Trading rules',
  limits: 'Limits',
  log: 'Last day',
  config: 'Settings',
  opened: 'Coin state',
  pause: 'Pause',
  listed: 'Exchange',
  price: 'Price',
  orphans: 'Orphan orders',
  'coin-limits': 'Coin limits',
  sizing: 'Order size',
  balance: 'Balance',
  decision: 'Last decision',
};

/** `evidence` in order; unknown values are left out. */
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

/** A link to a page, for a change that is not a config field. */
export const pageLink = (words: string, place: string): Setting => ({ words, place, path: null, value: null });

/** Reasons of a coin without a current price. */
const PRICE_REASONS = ['stale-price', 'data-price-missing'];
/** Reason code of a strategy whose settings forbid buys. */
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
  /** Wall-clock seconds since a market time. */
  readonly ago: (at: string) => number;
  /** A worker makes decisions: it runs, and the profile is enabled. */
  readonly alive: boolean;
  /** A sentence about the limit that cannot count this coin. */
  readonly uncounted: (symbol: string) => string | undefined;
  /** Coins of the profile that failed to start or run. */
  readonly troubles: AccountRunState['coins'];
}

export const faultText = ({ count, since, cause }: NonNullable<AccountRunState['faults']>): string =>
  `The account has stopped on an error ${count === 1 ? 'once' : `${count} times`} since ${since} and restarts each time. The cause: ${cause}`;

/** A coin with its merged settings. */
interface CoinContext extends ProfileContext {
  readonly coin: CoinView;
  readonly strategy: AnyStrategy;
  readonly merged: unknown;
  /** The page of these settings. */
  readonly page: string;
}

function configFound({ strategy, merged, page }: CoinContext): Found {
  const parsed = parseWith(strategy.config, merged);
  if (parsed.success) return ['ok', 'The settings are valid.'];
  const [issue] = parsed.error.issues;
  const { readable, unreadablePath } = strategy.bind(merged);
  const path = unreadablePath ?? issue?.path.join('.') ?? '';
  const setting = settingAt(strategy, merged, { path, page });
  if (!readable) return ['fail', `${path} cannot be read, so nothing is bought: correct and save it.`, setting];
  const harm = 'trading continues, but correct and save it, or orders cannot be sized, adopted and proven';
  return ['warn', `${path} is outside its bounds (${issue?.message ?? ''}): ${harm}.`, setting];
}

function sizingFound({ coin, rules, strategy, merged, page, equity }: CoinContext): Found {
  const { symbol, price, priceAt } = coin;
  const cached = price === null ? undefined : { price: requireDecimal(price), at: priceAt ?? '' };
  const bound = strategy.bind(merged);
  const sizing = checkSizing({ symbol, bound, rules: rules?.get(symbol), price: cached, equity });
  if (sizing.kind === 'skipped') return ['unknown', WHAT_TO_DO[sizing.reason]];
  if (sizing.kind === 'ok') return ['ok', 'The exchange accepts an order of this size, and it can be sold again.'];
  const path = amountPath(strategy, merged);
  const amount = path === null ? null : settingAt(strategy, merged, { path, page });
  return ['fail', `The budget is too small: the config ${sizing.message}.`, amount];
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
  const some = `Only ${freeText} ${asset} are available`;
  const money = (): Found => {
    if (free === undefined) return ['unknown', 'The wallet has not been read yet.'];
    if (free >= wanted) return ['ok', `${freeText} ${asset} are available.`];
    return free < (least ?? wanted)
      ? ['fail', `${some}, too little for any order: deposit more, or wait for a sale.`, amount]
      : ['warn', `${some} of the budget of ${budget} ${asset}: the buy will be smaller.`, amount];
  };
  return [
    check('sizing', { budget, price, minimum: least && formatDecimal(least) }, sizingFound(context)),
    check('balance', { free: freeText, budget, asset, readAt: wallet?.at }, money()),
  ];
}

function openedFound(trouble: AccountRunState['coins'][number] | undefined): Found {
  if (trouble === undefined) return ['ok', 'The coin runs.'];
  const { cause, nextAt, runs } = trouble;
  const next = nextAt === null ? '' : ` The next attempt is at ${nextAt}.`;
  return ['fail', `${runs ? 'The coin is not bought' : 'The coin is not traded'}: ${cause}${next}`];
}

function listedFound(rules: Rules | undefined, status: string | undefined): Found {
  if (rules === undefined) return ['unknown', WHAT_TO_DO.rules_not_loaded];
  if (status === undefined) return ['fail', 'The exchange does not list the coin.'];
  return status === 'TRADING'
    ? ['ok', 'The exchange trades the coin.']
    : ['fail', `The exchange does not trade the coin now (${status}).`];
}

/** A coin without trades keeps its last price: only the worker knows whether the price is stale. */
function priceFound({ price, state }: CoinView, agoSeconds: number | null): Found {
  if (price === null) return ['unknown', 'No price has arrived yet.'];
  const decided = state === null ? [] : [state.approval.reason, state.decision.reason];
  const without = decided.some((reason) => PRICE_REASONS.includes(reason ?? ''));
  return without && state !== null
    ? ['fail', state.decision.sentence]
    : ['ok', `The price last changed ${agoSeconds} s ago.`];
}

function orphansFound({ blockers: [orphan] }: CoinView): Found {
  if (orphan === undefined) return ['ok', 'No orphan order locks the coin.'];
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
  const until = pause?.until.toISOString();
  const paused: Found = ['fail', `Buying is paused until ${until}.`, pageLink('Pause', `${own}/coins/${symbol}`)];
  const asset = { ...pageLink('Limits', `${own}/risk`), path: 'asset' };
  const trouble = troubles.find((candidate) => candidate.symbol === symbol);
  return [
    check('opened', { nextAt: trouble?.nextAt }, openedFound(trouble)),
    check('pause', { until, reason: pause?.reason }, pause === null ? ['ok', 'The coin is not paused.'] : paused),
    check('listed', { status }, listedFound(rules, status)),
    check('price', { price, at: priceAt, agoSeconds }, priceFound(coin, agoSeconds)),
    check('orphans', coin.blockers[0]?.numbers ?? {}, orphansFound(coin)),
    check('coin-limits', {}, limit === undefined ? ['ok', 'The limits can count the coin.'] : ['fail', limit, asset]),
  ];
}

function decisionCheck({ coin: { state }, ago, alive, strategy, merged, page }: CoinContext): DiagnosisCheck {
  if (state === null) return check('decision', {}, ['unknown', 'No decision has been made yet.']);
  const { decision, approval, at } = state;
  const reason = approval.reason ?? decision.reason;
  const unprotected = state.protection?.unprotectedSeconds ?? 0;
  const evidence = { at, reason, ...decision.numbers, ...(unprotected > 0 && { withoutStopSeconds: unprotected }) };
  const quiet = ago(at);
  const late = `No decision has been made for ${quiet} s. The last one was: ${decision.sentence}`;
  if (alive && quiet > QUIET_S) return check('decision', evidence, ['warn', late]);
  const setting = settingFor(strategy, merged, { reason, page });
  return check('decision', evidence, [
    approval.kind === 'refused' || reason === BUYING_OFF ? 'fail' : 'ok',
    decision.sentence,
    setting,
  ]);
}

/** All checks of one coin in order of importance; the line is the first blocker. */
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
  const first = status === 'fail' ? checks.find((candidate) => candidate.status === 'fail') : undefined;
  const missing = state === null ? checks.find((candidate) => candidate.status === 'unknown') : undefined;
  return { symbol, status, line: (first ?? missing ?? decided).line, at: state?.at ?? null, checks };
}
