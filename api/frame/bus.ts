import { COMMAND_CHANNEL, EVENT_CHANNEL, type WorkerCommand } from '#core/installation/cache-keys.ts';
import type { BusEvent } from '#core/installation/events.ts';
import type { ApiContext } from './context.ts';

/** Channel between replicas of the api: ids of ended sessions, so that their sockets close. */
export const SESSION_CHANNEL = 'sessions';
/** Channel between replicas of the api: the settings of the chat have changed. */
export const CHAT_CHANNEL = 'chat';

/**
 * Publishes a committed change to workers and browsers. The change is saved whether or not the message arrives (workers
 * read the database again automatically), so a failure is only logged.
 */
export async function announce(
  context: Pick<ApiContext, 'cache' | 'log'>,
  news: { readonly command?: WorkerCommand['kind']; readonly events?: readonly BusEvent[] },
): Promise<void> {
  const messages = (news.events ?? []).map((event) => ({ channel: EVENT_CHANNEL, message: JSON.stringify([event]) }));
  if (news.command !== undefined) {
    messages.unshift({ channel: COMMAND_CHANNEL, message: JSON.stringify({ kind: news.command }) });
  }
  await publishAll(context, messages);
}

export const announceSessionEnd = (context: Pick<ApiContext, 'cache' | 'log'>, sessionId: string): Promise<void> =>
  publishAll(context, [{ channel: SESSION_CHANNEL, message: sessionId }]);

export const announceChat = (context: Pick<ApiContext, 'cache' | 'log'>): Promise<void> =>
  publishAll(context, [{ channel: CHAT_CHANNEL, message: 'changed' }]);

async function publishAll(
  { cache, log }: Pick<ApiContext, 'cache' | 'log'>,
  messages: readonly { channel: string; message: string }[],
): Promise<void> {
  for (const { channel, message } of messages) {
    await cache.publish(channel, message).catch((error: unknown) => {
      log.warn({ event: 'announcement_lost', channel, err: error }, 'A change was saved, but could not be published.');
    });
  }
}
