import type { AccountId } from '#core/ids.ts';
import { COIN_ACTIONS } from '#core/order/manual-order.ts';
import { type ActionOutcome, type OperatorAction, refused } from '#core/order/operator-action.ts';
import { scrubError } from '#core/installation/scrub.ts';
import { LeaseLost } from '#engine/state/ends-run.ts';
import type { Listener } from '#storage/postgres/listener.ts';
import { ACTION_CHANNEL, finishAction, claimActions } from '#storage/trading/operator-actions.ts';
import { ACCOUNT_ACTIONS } from './account-actions.ts';
import { readRequest, actOnCoin } from './coin-actions.ts';
import type { AccountLoop } from './account-loop.ts';
import type { WorkerContext } from './context.ts';
import type { Leases } from './leases.ts';

/** Interval of the reads that replace a missed notification. An account that has just started is read within a second. */
const LOOK_EVERY_MS = 5_000;
const STARTED_EVERY_MS = 1_000;

interface Owned {
  readonly context: WorkerContext;
  readonly loop: AccountLoop;
}

/** Actions in progress of one account. Actions of one coin run in sequence, and so do actions of the account itself. */
interface AccountQueue {
  readonly inProgress: Set<string>;
  readonly turns: Map<string, Promise<void>>;
}

/**
 * Executes the operator's actions of owned accounts. An action that a stopped run left unfinished stays in state
 * `taken`; the next read, in this or another worker, resumes it with its recorded order.
 */
export async function followActions(
  context: WorkerContext,
  leases: Leases,
  listener: Listener,
): Promise<AsyncDisposable> {
  const queues = new Map<AccountId, AccountQueue>();
  const lookAt = async (loop: AccountLoop): Promise<void> => {
    // A starting account takes its actions once it runs; an account without a key never runs.
    if (loop.running === null && loop.toRun.key !== null) return;
    const { id: accountId } = loop.toRun.account;
    const queue = queues.get(accountId) ?? { inProgress: new Set(), turns: new Map() };
    queues.set(accountId, queue);
    const owner = { accountId, fencing: loop.fencing, inHand: [...queue.inProgress] };
    for (const action of await claimActions(context.database, owner)) start({ context, loop }, queue, action);
  };
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking
      .then(async () => void (await Promise.all(leases.running().map(lookAt))))
      .catch((err: unknown) =>
        context.log.warn({ event: 'actions_not_read', err }, 'Actions of the operator could not be read; trying again'),
      );
    return looking;
  };
  const subscription = await listener.subscribe(ACTION_CHANNEL, () => void look());
  let seen: readonly unknown[] = [];
  let lookMs = 0;
  const timer = setInterval(() => {
    const runs = leases.running().map(({ running }) => running);
    const isStarted = runs.some((run) => !seen.includes(run));
    seen = runs;
    if (!isStarted && performance.now() < lookMs) return;
    lookMs = performance.now() + LOOK_EVERY_MS;
    void look();
  }, STARTED_EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await subscription[Symbol.asyncDispose]();
      await looking;
    },
  };
}

function start(owned: Owned, queue: AccountQueue, action: OperatorAction): void {
  queue.inProgress.add(action.id);
  const turn = action.kind in COIN_ACTIONS ? `${action.profileId}:${action.symbol}` : 'account';
  const work = (queue.turns.get(turn) ?? Promise.resolve())
    .then(() => carryOut(owned, action))
    .catch((error: unknown) => logInterrupted(owned, action, error));
  queue.turns.set(turn, work);
  void work.then(() => {
    queue.inProgress.delete(action.id);
    if (queue.turns.get(turn) === work) queue.turns.delete(turn);
  });
}

async function carryOut({ context, loop }: Owned, action: OperatorAction): Promise<void> {
  const outcome = await outcomeOf({ context, loop }, action);
  if (!(await finishAction(context.database, { id: action.id, fencing: loop.fencing }, outcome))) return;
  const { id, kind, profileId, symbol } = action;
  const { state, reason } = outcome;
  context.log.info({ event: 'action_finished', id, kind, profileId, symbol, state, reason }, `${kind}: ${state}`);
  context.announcer.announce({
    topic: 'action',
    id: action.accountId,
    data: { id, kind, profileId, symbol, state, reason },
  });
}

function outcomeOf(owned: Owned, action: OperatorAction): Promise<ActionOutcome> | ActionOutcome {
  const handler = ACCOUNT_ACTIONS[action.kind];
  if (handler !== undefined) return handler(owned, action).catch((error: unknown) => failed(owned.loop, error));
  const request = readRequest(action);
  if (request !== undefined) return actOnCoin(owned.loop, action, request);
  return refused(
    `The worker does not support "${action.kind}" with these values: it may be older than the api. Update the worker.`,
  );
}

/** A fault of the run leaves the action to the next run; an error of the action itself ends it. */
function failed(loop: AccountLoop, error: unknown): ActionOutcome {
  if (error instanceof LeaseLost || loop.running?.context.signal.aborted === true) throw error;
  return refused(`It failed: ${scrubError(error).message}`);
}

const logInterrupted = ({ context }: Owned, { id, kind }: OperatorAction, err: unknown): void =>
  context.log.warn({ event: 'action_interrupted', id, kind, err }, `${kind} was interrupted; the worker resumes it`);
