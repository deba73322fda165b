import { venueOf } from '#core/account/account.ts';
import { type AccountRunState, cacheKeys } from '#core/installation/cache-keys.ts';
import { APPROVAL_REASONS, describe } from '#core/decision/decision.ts';
import { assetRefusal } from '#core/account/risk.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { readOpen } from '#storage/operator/dashboard.ts';
import { listHalts } from '#storage/trading/halts.ts';
import { pageLogs } from '#storage/history/logs.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import { readMarket } from '#api/checks/config-check.ts';
import { readCoins } from '#api/views/coins.ts';
import type { ApiContext } from '#api/frame/context.ts';
import type { DiagnosisCheck, DiagnosisReport } from '#api/contract/diagnosis.ts';
import { pageLink, check, diagnoseCoin, faultText, type Found } from './diagnosis-coin.ts';
import { limitUsageOf } from '#api/views/limit-usage.ts';

/** With more coins than this the report only lists checks that are not ok, to stay readable. */
const WHOLE_COINS = 25;
const DAY_MS = 86_400_000;

interface DiagnosisInput {
  readonly account: AccountView;
  readonly profile: ProfileView;
  readonly symbol?: string | undefined;
}

async function workerChecks({ cache, database }: ApiContext, { account }: DiagnosisInput): Promise<DiagnosisCheck[]> {
  const workers = (await cache.list(cacheKeys.heartbeats)).size;
  const { holder } = await readOpen(database.kysely, account.id);
  const health = pageLink('System health', '/settings');
  const alone =
    'No worker holds the lease of the account. That takes seconds; if it lasts, read the log of the worker.';
  const lease: Found = holder === null ? ['fail', alone, health] : ['ok', `The worker ${holder} trades the account.`];
  return [
    check(
      'worker',
      { workers },
      workers === 0 ? ['fail', 'No worker runs: start one.', health] : ['ok', 'A worker runs.'],
    ),
    check('lease', { holder }, workers === 0 ? ['unknown', 'Without a worker the account has no lease.'] : lease),
  ];
}

function runningFound(run: AccountRunState | undefined): Found {
  if (run === undefined) return ['unknown', 'No worker has reported the state of the account.'];
  const { downSince, faults } = run;
  if (faults !== null) return ['fail', faultText(faults), pageLink('System health', '/settings')];
  return downSince === null
    ? ['ok', 'The account runs.']
    : ['warn', `The account has been starting since ${downSince}.`];
}

function keyFound({ apiKey }: AccountView): Found {
  const page = pageLink('API key', '/settings');
  if (apiKey === null) return ['fail', 'The account has no API key: enter one.', page];
  const cause = apiKey.cause ?? 'cause unknown';
  const sentence = `The exchange refuses the API key (${cause}): correct it there, or enter another one.`;
  if (apiKey.status === 'error') return ['fail', sentence, page];
  if (apiKey.status === 'healthy') return ['ok', 'The exchange accepts the API key.'];
  return ['warn', 'The API key has not been checked yet; no buys until then.', page];
}

interface AccountChecksInput extends DiagnosisInput {
  readonly run: AccountRunState | undefined;
}

function accountChecks({ account, profile, run }: AccountChecksInput, coins: number): DiagnosisCheck[] {
  const { apiKey, resetAt } = account;
  const key = { status: apiKey?.status, cause: apiKey?.cause, checkedAt: apiKey?.checkedAt?.toISOString() };
  const reset = 'The exchange was reset: confirm that the account may continue.';
  const page = `/profiles/${profile.id}`;
  const { enabled } = profile;
  const off: Found = ['fail', 'The profile is disabled: enable it.', pageLink('Enable', page)];
  const none: Found = ['fail', 'No coin is bound: add one.', pageLink('Coins', page)];
  return [
    check(
      'account',
      { resetAt: resetAt?.toISOString() },
      resetAt === null ? ['ok', 'The exchange was not reset.'] : ['fail', reset, pageLink('Reset notice', '/')],
    ),
    check('key', key, keyFound(account)),
    check('running', { downSince: run?.downSince, faults: run?.faults?.count }, runningFound(run)),
    check('enabled', { enabled: String(enabled) }, enabled ? ['ok', 'The profile is enabled.'] : off),
    check('coins', { coins }, coins > 0 ? ['ok', `${coins} coins are bound.`] : none),
  ];
}

async function haltCheck({ database }: ApiContext, { account, profile }: DiagnosisInput): Promise<DiagnosisCheck> {
  const subjects = new Set<string>(['all', account.id, profile.id]);
  const halt = (await listHalts(database)).find(({ subject, reset }) => subjects.has(subject) && reset !== true);
  if (halt === undefined) return check('halts', {}, ['ok', 'No kill switch is engaged.']);
  const { scope, reason } = halt;
  const since = halt.since.toISOString();
  const why = reason === '' ? '' : ` ("${reason}")`;
  const line = `The kill switch (${scope}) has been engaged since ${since}${why}: release it to buy again.`;
  const place = scope === 'profile' ? `/profiles/${profile.id}` : '/';
  return check('halts', { scope, since, reason }, ['fail', line, pageLink('Kill switch', place)]);
}

function limitChecks(subjects: Awaited<ReturnType<typeof limitUsageOf>>, { profile }: DiagnosisInput): DiagnosisCheck {
  const standings = subjects.flatMap((subject) => subject.standings);
  const blocked = standings.find((candidate) => candidate.blocked);
  const evidence = Object.fromEntries(
    standings.map(({ scope, limit, used, most }) => [`${scope} ${limit}`, `${used} of ${most}`]),
  );
  if (blocked === undefined)
    return check('limits', evidence, ['ok', standings.length === 0 ? 'No limit is set.' : 'No limit is reached.']);
  const setting = {
    words: 'Limits',
    place: `/profiles/${profile.id}/risk`,
    path: blocked.limit,
    value: String(blocked.most),
  };
  return check('limits', { ...evidence, until: blocked.until?.toISOString() }, [
    'fail',
    blocked.sentence ?? 'A limit is reached.',
    setting,
  ]);
}

async function logCheck({ database, now }: ApiContext, { profile, symbol }: DiagnosisInput): Promise<DiagnosisCheck> {
  const from = new Date(now().getTime() - DAY_MS).toISOString();
  const filter = { profileIds: [profile.id], levels: ['warn', 'error'] as const, from, symbol };
  const [newest] = (await pageLogs(database.kysely, filter, { limit: 1 })).rows;
  if (newest === undefined) return check('log', {}, ['ok', 'No warnings.']);
  const evidence = { level: newest.level, symbol: newest.symbol, at: newest.lastAt.toISOString() };
  return check('log', evidence, ['warn', newest.msg, pageLink('Logs', `/profiles/${profile.id}/logs`)]);
}

/** Answers "why is it not trading?" from the database and the cache, without a request to the exchange. */
export async function diagnose(context: ApiContext, input: DiagnosisInput): Promise<DiagnosisReport> {
  const { account, profile, symbol } = input;
  const venue = venueOf(account);
  const nowMs = context.now().getTime();
  // A replayed market runs faster than the wall: a second later shows by how much.
  const marketMs = (await context.venues.marketMs(venue, nowMs)) ?? nowMs;
  const speed = ((await context.venues.marketMs(venue, nowMs + 1000)) ?? nowMs + 1000) - marketMs;
  const ago = (at: string): number => Math.max(0, Math.round((marketMs - Date.parse(at)) / (speed || 1000)));
  const rules = await context.venues.rules(venue);
  const wallet = await context.venues.wallet(account.id);
  const subjects = (await limitUsageOf(context, account)).filter(
    (subject) => subject.scope === 'account' || subject.subject === profile.id,
  );
  const bound = (await readCoins(context, account, [profile.id])).map(({ coin }) => coin);
  const run = await context.venues.accountRun(account.id);
  const workers = await workerChecks(context, input);
  const missing: Found = ['unknown', 'The trading rules are not loaded yet; a worker loads them within minutes.'];
  const checks = [
    ...workers,
    ...accountChecks({ ...input, run }, bound.length),
    await haltCheck(context, input),
    check('rules', { coins: rules?.size }, rules === undefined ? missing : ['ok', 'The trading rules are loaded.']),
    limitChecks(subjects, input),
    await logCheck(context, input),
  ];
  const uncounted = (name: string): string | undefined => {
    const refusal = subjects.map((subject) => assetRefusal(subject, name)).find((candidate) => candidate !== undefined);
    return refusal && describe(APPROVAL_REASONS[refusal.reason], refusal.numbers);
  };
  const alive = workers.every(({ status }) => status === 'ok') && profile.enabled;
  const { equity } = await readMarket(context, account);
  const troubles = run?.coins.filter(({ profileId }) => profileId === profile.id) ?? [];
  const profileContext = { profile, rules, wallet, equity, ago, alive, uncounted, troubles };
  const wanted = bound.filter((coin) => symbol === undefined || coin.symbol === symbol);
  const coins = wanted.map((coin) => diagnoseCoin(coin, profileContext));
  const failed = checks.find(({ status }) => status === 'fail');
  const [first] = coins;
  const every = (status: string): boolean => first !== undefined && coins.every((coin) => coin.status === status);
  return {
    verdict: failed !== undefined || every('fail') ? 'blocked' : every('unknown') ? 'unknown' : 'waiting',
    headline: failed?.line ?? (first === undefined ? '' : `${first.symbol}: ${first.line}`),
    checks,
    coins: coins.map((coin) =>
      coins.length <= WHOLE_COINS ? coin : { ...coin, checks: coin.checks.filter(({ status }) => status !== 'ok') },
    ),
  };
}
