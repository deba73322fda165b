import {
  deleteChat as removeChat,
  readChat as findChat,
  saveChat as storeChat,
  type StoredChat,
} from '#storage/operator/chat.ts';
import { deleteChat, readChat, saveChat } from '#api/contract/chat.ts';
import { announceChat } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import type { Incoming, Routes } from '#api/handle.ts';

const viewOf = ({ chatId, userIds, serverUrl, enabled, since, ignored, problem }: StoredChat) => ({
  ...{ chatId, userIds: [...userIds], serverUrl, enabled, since, ignored, problem },
});

async function save(context: ApiContext, { operator, commit, body }: Incoming<typeof saveChat>) {
  const { botToken: sent, ...settings } = body;
  const chat = await commit(async ({ transaction }) => {
    const before = await findChat(transaction);
    // A stored token is never sent to another server than the one that it was entered for.
    const kept = before?.serverUrl === settings.serverUrl ? before.botToken : undefined;
    const botToken = sent ?? kept;
    if (botToken === undefined) throw invalidField('botToken', 'is missing');
    const isOtherBot = botToken !== before?.botToken || settings.serverUrl !== before.serverUrl;
    await storeChat(transaction, { ...settings, botToken, userId: operator.user.id }, isOtherBot);
    const after = await findChat(transaction);
    if (after === undefined) throw new Error('The chat was not stored.');
    const record = { ...settings, botTokenSent: sent !== undefined };
    return { answer: viewOf(after), subject: 'telegram', before: before && viewOf(before), after: record };
  });
  await announceChat(context);
  return { chat };
}

export function mountChat({ context, handle }: Routes): void {
  handle(readChat, async () => {
    const chat = await findChat(context.database.kysely);
    return { chat: chat === undefined ? null : viewOf(chat) };
  });
  handle(saveChat, (incoming) => save(context, incoming));
  handle(deleteChat, async ({ commit }) => {
    await commit(async ({ transaction }) => {
      const before = await findChat(transaction);
      if (before === undefined) throw new ApiProblem('not_found', 'There is no chat.');
      await removeChat(transaction);
      return { answer: undefined, subject: 'telegram', before: viewOf(before) };
    });
    await announceChat(context);
    return undefined;
  });
}
