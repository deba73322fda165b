import { cacheKeys } from '#core/cache-keys.ts';
import { mergePatch } from '#core/merge.ts';
import type { AccountView } from '#storage/accounts.ts';
import { readHalt } from '#storage/halts.ts';
import { pageLogs } from '#storage/logs.ts';
import type { ProfileView } from '#storage/profiles.ts';
import { type CoinView, readCoins } from './coins.ts';
import { type CachedMarket, readMarket, requireStrategy } from './config-check.ts';
import type { ApiContext } from './context.ts';
import type { DiagnosisReport } from './contract/diagnosis.ts';
import { checkSizing } from './sizing-check.ts';
import { parseWith } from './validate.ts';

type Step = DiagnosisReport['steps'][number];
type CoinLine = DiagnosisReport['coins'][number];

/** A step that found nothing says so; one that found something says what to do. */
const step = ([id, label]: readonly [string, string], finding: string | undefined, fine: string): Step =>
  finding === undefined ? { id, label, status: 'ok', line: fine } : { id, label, status: 'finding', line: finding };

function keyFinding({ apiKey }: AccountView): string | undefined {
  if (apiKey === null) return 'The account has no API key: enter one.';
  if (apiKey.status !== 'error') return undefined;
  return `The exchange refuses the API key (${apiKey.cause ?? 'cause unknown'}): correct it there, or enter another one.`;
}

async function haltFinding({ database }: ApiContext, profile: ProfileView): Promise<string | undefined> {
  const subjects = [
    { scope: 'all', subject: 'all' },
    { scope: 'account', subject: profile.accountId },
    { scope: 'profile', subject: profile.id },
  ] as const;
  for (const one of subjects) {
    const halt = await readHalt(database, one);
    if (halt === undefined) continue;
    const reason = halt.reason === '' ? '' : ` ("${halt.reason}")`;
    return `The kill switch (${one.scope}) has been on since ${halt.since.toISOString()}${reason}: release it to buy again.`;
  }
  return undefined;
}

/** What keeps a coin from being bought whatever the strategy says; undefined when nothing does. */
function blockOf(coin: CoinView, profile: ProfileView, market: CachedMarket): string | undefined {
  const { symbol, overrideConfig, pause } = coin;
  const strategy = requireStrategy(profile.strategyName);
  const merged = mergePatch(profile.config, overrideConfig);
  if (!parseWith(strategy.config, merged).success)
    return 'Its settings are outside their bounds: correct and save them, or orders cannot be sized and checked.';
  if (pause !== null) return `Buying is paused until ${pause.until}.`;
  const rules = market.rules?.get(symbol);
  if (market.rules !== undefined && rules === undefined) return 'The exchange does not list it.';
  if (rules !== undefined && rules.status !== 'TRADING') return `The exchange does not trade it now (${rules.status}).`;
  const { shared } = strategy.bind(merged);
  const sizing = checkSizing({ symbol, shared, rules, price: market.prices.get(symbol) });
  return sizing.kind === 'refused' ? `Its budget is too small: the config ${sizing.message}.` : undefined;
}

function lineOf(coin: CoinView, block: string | undefined): CoinLine {
  const { symbol, state, price } = coin;
  const at = state?.at ?? null;
  if (block !== undefined) return { symbol, blocked: true, line: block, at };
  if (state !== null) return { symbol, blocked: false, line: state.decision.sentence, at };
  const line = price === null ? 'No price has arrived yet.' : 'No decision has been made yet.';
  return { symbol, blocked: false, line, at };
}

/** Answers "why is it not trading?" from the database and the cache alone: nothing is asked of the exchange. */
export async function diagnose(
  context: ApiContext,
  account: AccountView,
  profile: ProfileView,
): Promise<DiagnosisReport> {
  const { cache, database, venues } = context;
  const market = await readMarket(venues, account);
  const coins = (await readCoins(context, account, [profile.id])).map(({ coin }) => coin);
  const workers = (await cache.list(cacheKeys.heartbeats)).size;
  const lines = coins.map((coin) => lineOf(coin, blockOf(coin, profile, market)));
  const recent = await pageLogs(
    database.kysely,
    {
      profileIds: [profile.id],
      levels: ['warn', 'error'],
      from: new Date(context.now().getTime() - 86_400_000).toISOString(),
    },
    { limit: 1 },
  );
  const newest = recent.rows[0];
  const steps: Step[] = [
    step(['worker', 'Worker'], workers === 0 ? 'No worker runs: start it.' : undefined, 'A worker runs.'),
    step(['key', 'API key'], keyFinding(account), 'The account has a key that is not known to be refused.'),
    step(['halts', 'Kill switch'], await haltFinding(context, profile), 'No kill switch is on.'),
    step(['enabled', 'Profile'], profile.enabled ? undefined : 'The profile is disabled: enable it.', 'It is enabled.'),
    step(['coins', 'Coins'], coins.length === 0 ? 'No coin is bound: add one.' : undefined, `${coins.length} bound.`),
    market.rules === undefined
      ? {
          id: 'rules',
          label: 'Trading rules',
          status: 'unknown',
          line: 'Not loaded yet; a worker loads them within minutes.',
        }
      : step(['rules', 'Trading rules'], undefined, 'They are loaded.'),
    step(['log', 'Last day'], newest === undefined ? undefined : newest.msg, 'No warning in the log.'),
  ];
  // A warning of the last day is told, but keeps nothing from trading by itself.
  const found = steps.find(({ id, status }) => status === 'finding' && id !== 'log');
  const allBlocked = lines.length > 0 && lines.every(({ blocked }) => blocked);
  const [first] = lines;
  return {
    verdict: found !== undefined || allBlocked ? 'blocked' : 'waiting',
    headline: found?.line ?? (first === undefined ? '' : `${first.symbol}: ${first.line}`),
    steps,
    coins: lines,
  };
}
