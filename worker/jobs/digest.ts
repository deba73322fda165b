import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { exitCause } from '#core/decision/exit-cause.ts';
import { type Digest, readDigests } from '#storage/postgres/digest.ts';
import { readOperator } from '#storage/operator/users.ts';
import type { WorkerContext } from '#worker/context.ts';
import { type NotifyDeps, notifyEvent } from '#worker/notify.ts';

const DAY_MS = 24 * 3_600_000;
/** Hour in the operator's time zone at which the digest is sent. */
const AT_HOUR = 9;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** ` (2 stop loss, 1 trailing stop)`, the most frequent cause first; empty without known causes. */
function causesOf(exits: Digest['exits']): string {
  const causes = new Map<string, number>();
  for (const [reason, count] of Object.entries(exits)) {
    const cause = exitCause(reason);
    causes.set(cause, (causes.get(cause) ?? 0) + count);
  }
  const sorted = [...causes].toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  return sorted.length === 0 ? '' : ` (${sorted.map(([cause, count]) => `${count} ${cause}`).join(', ')})`;
}

const textOf = ({ enabled, fills, closed, net, exits, held, problems }: Digest): string =>
  [
    enabled ? 'The profile is enabled.' : 'The profile is disabled.',
    `${counted(fills, 'execution')}, ${counted(closed, 'closed position')} with ${formatDecimal(requireDecimal(net))} net${causesOf(exits)}.`,
    `${counted(held, 'coin')} held, ${counted(problems, 'problem')} in the log.`,
  ].join('\n');

/** Runs every hour. At nine in the operator's time zone it sends a summary of the last day for each profile. */
export async function sendDigests(
  { database }: Pick<WorkerContext, 'database'>,
  deps: NotifyDeps,
  now = new Date(),
): Promise<void> {
  if (deps.liveDemo) return;
  const operator = await readOperator(database.kysely);
  if (operator === undefined) return;
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone: operator.timezone, hour: '2-digit' }).format(now);
  if (Number(hour) !== AT_HOUR) return;
  for (const digest of await readDigests(database.kysely, new Date(now.getTime() - DAY_MS))) {
    const title = `${digest.name}: the last day`;
    await notifyEvent(deps, digest.profileId, { event: 'digest', title, text: textOf(digest), at: now.toISOString() });
  }
}
