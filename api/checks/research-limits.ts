import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Database, Transaction } from '#storage/postgres/database.ts';
import { countOpenJobs, listOpenResearch } from '#storage/research/open-research.ts';
import type { ResearchKind } from '#storage/research/research.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem } from '#api/frame/problem.ts';

/** Maximum open jobs for the workers, by kind. */
interface ResearchLimits {
  readonly ofProfile: number;
  readonly ofAccount: number;
  /** Jobs of one sweep: its units, in each fold. */
  readonly jobs: number;
}
const USUAL: ResearchLimits = { ofProfile: 3, ofAccount: 10, jobs: 5_000 };
/** Any visitor of a demo may launch, and each job leaves its results in the database. */
const DEMO: ResearchLimits = { ofProfile: 1, ofAccount: 3, jobs: 10 };
const DEMO_LAUNCHES = 5;
const DEMO_LAUNCHES_MS = 600_000;

export const researchLimits = ({ settings }: Pick<ApiContext, 'settings'>): ResearchLimits =>
  settings.liveDemo ? DEMO : USUAL;

const turns = new WeakMap<Database, Promise<unknown>>();

/**
 * Runs launches one after the other: each waits for the lock of its account and would hold one of the api's few
 * connections meanwhile.
 */
export function inTurn<T>(database: Database, launch: () => Promise<T>): Promise<T> {
  const turn = (turns.get(database) ?? Promise.resolve()).then(launch);
  turns.set(
    database,
    turn.catch(() => {}),
  );
  return turn;
}

/**
 * Refuses one more open backtest or sweep than the limits allow. The caller has locked the account, so the count is true
 * until the transaction ends.
 */
export async function requireOpenSlot(
  context: Pick<ApiContext, 'settings'>,
  transaction: Transaction,
  { kind, profile }: { kind: ResearchKind; profile: { readonly id: ProfileId; readonly accountId: AccountId } },
): Promise<void> {
  const { ofProfile, ofAccount } = researchLimits(context);
  const open = await listOpenResearch(transaction, kind, profile.accountId);
  const own = open.filter(({ profileId }) => profileId === profile.id);
  const remedy = 'Wait until one has ended, or abort one.';
  if (own.length >= ofProfile) {
    const ids = own.map(({ id }) => id).join(', ');
    throw new ApiProblem(
      'conflict',
      `The profile has ${own.length} open ${kind}s, the most allowed: ${ids}. ${remedy}`,
    );
  }
  if (open.length >= ofAccount) {
    const names = [...new Set(open.map(({ profileName }) => profileName))].join(', ');
    const owners = `in the profiles ${names}`;
    throw new ApiProblem(
      'conflict',
      `The account has ${open.length} open ${kind}s, the most allowed, ${owners}. ${remedy}`,
    );
  }
}

/** Refuses one more robustness test than the limits allow; two concurrent ones may both pass. */
export async function requireRobustnessSlot(context: Pick<ApiContext, 'settings' | 'database'>): Promise<void> {
  const { ofAccount } = researchLimits(context);
  const open = await countOpenJobs(context.database.kysely, 'test-robustness');
  if (open >= ofAccount)
    throw new ApiProblem('conflict', `${open} robustness tests are open, the most allowed. Wait until one has ended.`);
}

/** Counts a launch in a demo and refuses it above the limit: each stays in the database, even when it is aborted at once. */
export async function requireLaunchAllowance({
  settings,
  cache,
}: Pick<ApiContext, 'settings' | 'cache'>): Promise<void> {
  if (!settings.liveDemo) return;
  const { count, resetMs } = await cache.countInWindow(cacheKeys.demoLaunches, DEMO_LAUNCHES_MS);
  if (count <= DEMO_LAUNCHES) return;
  const minutes = Math.max(1, Math.ceil(resetMs / 60_000));
  throw new ApiProblem(
    'too_many_requests',
    `This demo starts at most ${DEMO_LAUNCHES} backtests and sweeps in ${DEMO_LAUNCHES_MS / 60_000} minutes: try again in ${minutes} minutes.`,
    { headers: { 'retry-after': String(minutes * 60) } },
  );
}
