import type { AccountId, ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { AccountEvent, Notification, ProfileEvent } from '#core/installation/notify.ts';
import type { ActionLogRow, RecordSink } from '#core/ports/records.ts';
import type { EngineLog } from '#engine/state/ports.ts';
import type { Queue } from '#storage/jobs/queue.ts';

/** What telling somebody needs; nothing here waits for a notifier. */
export interface NotifyDeps {
  readonly liveDemo: boolean;
  readonly queue: Pick<Queue, 'enqueue'>;
  readonly log: EngineLog;
}

type Message<Event> = Pick<Notification, 'title' | 'text'> & { readonly event: Event; readonly at?: string };

const stamped = <Event extends Notification['event']>(message: Message<Event>): Notification => ({
  ...message,
  at: message.at ?? new Date().toISOString(),
});

/** Tells the notifiers of a profile. In a live demo it does nothing at all. */
export async function notifyEvent(
  deps: NotifyDeps,
  profileId: ProfileId,
  message: Message<ProfileEvent>,
): Promise<void> {
  if (deps.liveDemo) return;
  await deps.queue.enqueue('notify', { profileId, notification: stamped(message) });
}

/** Tells the notifiers of every profile of an account, or, with null, of the installation. In a live demo: nothing. */
export async function notifyAccount(
  deps: NotifyDeps,
  accountId: AccountId | null,
  message: Message<AccountEvent>,
): Promise<void> {
  if (deps.liveDemo) return;
  const to = accountId === null ? {} : { accountId };
  await deps.queue.enqueue('notify', { ...to, notification: stamped(message) });
}

/** Which rows of a profile's log are told, by the event they name. */
const TOLD: ReadonlyMap<unknown, ProfileEvent> = new Map([
  ['order_filled', 'order-filled'],
  ['order_rejected', 'order-failed'],
  ['order_unknown', 'order-failed'],
  ['breaker_opened', 'order-failed'],
  ['stop_missing', 'stop-missing'],
  ['coin_cannot_run', 'coin-stopped'],
  ['drift_worse', 'drift'],
]);
const LIMITS: ReadonlySet<unknown> = new Set(['halt-daily-loss', 'halt-drawdown', 'cooldown-loss-streak']);
/** A limit stops every tick of every coin: it is told once in this time. */
const SAME_LIMIT_MS = 6 * 3_600_000;

/** Why a row of decisions could not buy, when that was a limit of the operator. */
function limitOf({ level, ctx }: ActionLogRow): string | undefined {
  if (level !== 'warn' || !isObject(ctx) || ctx['event'] !== 'decision' || !isObject(ctx['approval'])) return undefined;
  const { reason } = ctx['approval'];
  return typeof reason === 'string' && LIMITS.has(reason) ? reason : undefined;
}

/**
 * Passes records on and tells what an operator wants to hear of; a queue that is away costs the message, never a tick.
 */
export function notifyingSink(sink: RecordSink, deps: NotifyDeps): RecordSink {
  if (deps.liveDemo) return sink;
  const limits = new Map<string, number>();
  const eventOf = (row: ActionLogRow): ProfileEvent | undefined => {
    const event = TOLD.get(isObject(row.ctx) ? row.ctx['event'] : undefined);
    if (event !== undefined) return event;
    const limit = limitOf(row);
    if (limit === undefined) return undefined;
    const key = `${row.profileId}:${limit}`;
    const nowMs = performance.now();
    if (nowMs - (limits.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_LIMIT_MS) return undefined;
    limits.set(key, nowMs);
    return 'limit-reached';
  };
  const tell = (row: ActionLogRow): void => {
    const event = eventOf(row);
    if (event === undefined) return;
    const title = row.symbol === null ? row.msg : `${row.symbol}: ${row.msg}`;
    notifyEvent(deps, row.profileId, { event, title, text: '', at: row.lastAt.toISOString() }).catch((err: unknown) =>
      deps.log.warn({ event: 'notification_lost', err }, 'A message could not be put into the queue'),
    );
  };
  return {
    audit: (audit) => sink.audit(audit),
    evidence: (evidence) => sink.evidence(evidence),
    log(row) {
      sink.log(row);
      if (row.count === 1) tell(row);
    },
    flush: () => sink.flush(),
  };
}
