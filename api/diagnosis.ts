import { venueOf } from '#core/account.ts';
import { cacheKeys } from '#core/cache-keys.ts';
import { APPROVAL_REASONS, describe } from '#core/decision.ts';
import { assetRefusal } from '#core/risk.ts';
import type { AccountView } from '#storage/accounts.ts';
import { listHalts } from '#storage/halts.ts';
import { readLease } from '#storage/leases.ts';
import { pageLogs } from '#storage/logs.ts';
import type { ProfileView } from '#storage/profiles.ts';
import { readCoins } from './coins.ts';
import type { ApiContext } from './context.ts';
import type { DiagnosisCheck, DiagnosisReport } from './contract/diagnosis.ts';
import { check, diagnoseCoin } from './diagnosis-coin.ts';
import type { Setting } from './responsible.ts';
import { standingsOf } from './standings.ts';

/** Of more coins only what is not ok is told: the report stays one that can be read. */
const WHOLE_COINS = 25;
const DAY_MS = 86_400_000;

const aside = (words: string, place: string): Setting => ({ words, place, path: null, value: null });

interface Asked {
  readonly account: AccountView;
  readonly profile: ProfileView;
  readonly symbol?: string | undefined;
}

async function workerChecks({ cache, database, now }: ApiContext, { account }: Asked): Promise<DiagnosisCheck[]> {
  const workers = (await cache.list(cacheKeys.heartbeats)).size;
  const lease = await readLease(database.kysely, account.id);
  const held = lease !== undefined && lease.expiresAt > now();
  const health = aside('System health', '/settings');
  return [
    check(
      ['worker', 'Worker'],
      { workers },
      workers === 0 ? ['fail', 'No worker runs: start it.', health] : ['ok', 'A worker runs.'],
    ),
    check(
      ['lease', 'Account taken'],
      { holder: lease?.holder, until: lease?.expiresAt.toISOString() },
      held
        ? ['ok', `The worker ${lease.holder} trades the account.`]
        : workers === 0
          ? ['unknown', 'Without a worker nobody can.']
          : ['fail', 'No worker has taken the account, which takes seconds: if this stays, its log says why.', health],
    ),
  ];
}

function accountChecks({ account }: Asked): DiagnosisCheck[] {
  const { apiKey, resetAt } = account;
  const key = aside('API key', '/settings');
  const label = ['key', 'API key'] as const;
  const told = { status: apiKey?.status ?? null, cause: apiKey?.cause, checkedAt: apiKey?.checkedAt?.toISOString() };
  return [
    check(
      ['account', 'Account'],
      { resetAt: resetAt?.toISOString() },
      resetAt === null
        ? ['ok', 'Its exchange goes on as it was.']
        : [
            'fail',
            'The exchange was found reset: confirm that the account may go on.',
            aside('Notice of the reset', '/'),
          ],
    ),
    apiKey === null
      ? check(label, {}, ['fail', 'The account has no API key: enter one.', key])
      : apiKey.status === 'error'
        ? check(label, told, [
            'fail',
            `The exchange refuses the API key (${apiKey.cause ?? 'cause unknown'}): correct it there, or enter another one.`,
            key,
          ])
        : check(
            label,
            told,
            apiKey.status === null
              ? ['warn', 'The API key has not been checked yet; nothing is bought before.', key]
              : ['ok', 'The exchange accepts the API key.'],
          ),
  ];
}

async function haltCheck({ database }: ApiContext, { account, profile }: Asked): Promise<DiagnosisCheck> {
  const subjects = new Set<string>(['all', account.id, profile.id]);
  const halt = (await listHalts(database)).find(({ subject, reset }) => subjects.has(subject) && reset !== true);
  const label = ['halts', 'Kill switch'] as const;
  if (halt === undefined) return check(label, {}, ['ok', 'No kill switch is on.']);
  const since = halt.since.toISOString();
  const reason = halt.reason === '' ? '' : ` ("${halt.reason}")`;
  const line = `The kill switch (${halt.scope}) has been on since ${since}${reason}: release it to buy again.`;
  return check(label, { scope: halt.scope, since, reason: halt.reason }, [
    'fail',
    line,
    aside('Kill switch', halt.scope === 'profile' ? `/profiles/${profile.id}` : '/'),
  ]);
}

function profileChecks({ profile }: Asked, coins: number): DiagnosisCheck[] {
  const page = `/profiles/${profile.id}`;
  return [
    check(
      ['enabled', 'Profile'],
      { enabled: String(profile.enabled) },
      profile.enabled
        ? ['ok', 'It is enabled.']
        : ['fail', 'The profile is disabled: enable it.', aside('Enable', page)],
    ),
    check(
      ['coins', 'Coins'],
      { coins },
      coins > 0 ? ['ok', `${coins} bound.`] : ['fail', 'No coin is bound: add one.', aside('Coins', page)],
    ),
  ];
}

function limitChecks(subjects: Awaited<ReturnType<typeof standingsOf>>, { profile }: Asked): DiagnosisCheck {
  const standings = subjects.flatMap((each) => each.standings);
  const label = ['limits', 'Limits'] as const;
  const blocked = standings.find((one) => one.blocked);
  const told = Object.fromEntries(
    standings.map(({ scope, limit, used, most }) => [`${scope} ${limit}`, `${used} of ${most}`]),
  );
  if (blocked === undefined)
    return check(label, told, ['ok', standings.length === 0 ? 'None is set.' : 'None is reached.']);
  const setting = {
    words: 'Limits',
    place: `/profiles/${profile.id}/risk`,
    path: blocked.limit,
    value: String(blocked.most),
  };
  return check(label, { ...told, until: blocked.until }, ['fail', blocked.sentence ?? 'A limit is reached.', setting]);
}

async function logCheck({ database, now }: ApiContext, { profile, symbol }: Asked): Promise<DiagnosisCheck> {
  const from = new Date(now().getTime() - DAY_MS).toISOString();
  const filter = { profileIds: [profile.id], levels: ['warn', 'error'] as const, from, symbol };
  const [newest] = (await pageLogs(database.kysely, filter, { limit: 1 })).rows;
  const told = { level: newest?.level, symbol: newest?.symbol, at: newest?.lastAt.toISOString() };
  return check(
    ['log', 'Last day'],
    told,
    newest === undefined
      ? ['ok', 'No warning in the log.']
      : ['warn', newest.msg, aside('Logs', `/profiles/${profile.id}/logs`)],
  );
}

/** Answers "why is it not trading?" from the database and the cache alone: nothing is asked of the exchange. */
export async function diagnose(context: ApiContext, asked: Asked): Promise<DiagnosisReport> {
  const { account, profile, symbol } = asked;
  const now = context.now();
  const marketNow = new Date((await context.venues.marketMs(venueOf(account), now.getTime())) ?? now);
  const rules = await context.venues.rules(venueOf(account));
  const wallet = await context.venues.wallet(account.id);
  const subjects = (await standingsOf(context, account)).filter(
    (each) => each.scope === 'account' || each.subject === profile.id,
  );
  const bound = (await readCoins(context, account, [profile.id])).map(({ coin }) => coin);
  const workers = await workerChecks(context, asked);
  const checks = [
    ...workers,
    ...accountChecks(asked),
    await haltCheck(context, asked),
    ...profileChecks(asked, bound.length),
    check(
      ['rules', 'Trading rules'],
      { coins: rules?.size },
      rules === undefined
        ? ['unknown', 'Not loaded yet; a worker loads them within minutes.']
        : ['ok', 'They are loaded.'],
    ),
    limitChecks(subjects, asked),
    await logCheck(context, asked),
  ];
  const uncounted = (name: string): string | undefined => {
    const refusal = subjects.map((each) => assetRefusal(each, name)).find((one) => one !== undefined);
    return refusal && describe(APPROVAL_REASONS[refusal.reason], refusal.numbers);
  };
  const alive = workers.every(({ status }) => status === 'ok') && profile.enabled;
  const scene = { profile, rules, wallet, now, marketNow, alive, uncounted };
  const wanted = bound.filter((coin) => symbol === undefined || coin.symbol === symbol);
  const coins = wanted.map((coin) => diagnoseCoin(coin, scene));
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
