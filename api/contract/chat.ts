import { z } from 'zod';
import { instant } from './fields.ts';
import { operation } from './operation.ts';

const SERVER = 'https://api.telegram.org';

/** Of the bot API, a number as text. */
const chatId = z.string().regex(/^-?\d{1,20}$/, 'is not a chat id such as 123456789');
const userIds = z
  .array(z.string().regex(/^\d{1,20}$/, 'is not a user id such as 123456789'))
  .min(1)
  .max(20);
const serverUrl = z
  .string()
  .max(300)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    `is not an address such as ${SERVER}`,
  )
  .default(SERVER);

/** The bot token is never returned. */
const chat = z.object({
  chatId: z.string(),
  userIds: z.array(z.string()),
  serverUrl: z.string(),
  enabled: z.boolean(),
  /** Messages of an earlier time are ignored. */
  since: instant,
  /** Number of messages of other chats and users. */
  ignored: z.number(),
  /** Why Telegram cannot be reached now; null while it can. */
  problem: z.string().nullable(),
});
const view = z.object({ chat: chat.nullable() });
const ofChat = { auth: 'session', path: '/chat' } as const;

export const readChat = operation({
  ...ofChat,
  method: 'GET',
  status: 200,
  summary: 'The Telegram chat whose messages are commands, without its bot token',
  response: view,
});

export const saveChat = operation({
  ...ofChat,
  method: 'PUT',
  status: 200,
  summary: 'Sets up the Telegram chat; without a bot token the stored one is kept for the same server',
  audit: 'chat.save',
  body: z.strictObject({
    botToken: z
      .string()
      .regex(/^\d+:[\w-]+$/, 'is not a bot token such as 123456:ABC-DEF')
      .max(200)
      .optional(),
    chatId,
    /** Telegram users whose messages in the chat count. */
    userIds,
    enabled: z.boolean().default(true),
    serverUrl,
  }),
  response: view,
});

export const deleteChat = operation({
  ...ofChat,
  method: 'DELETE',
  status: 204,
  summary: 'Removes the Telegram chat and its bot token',
  audit: 'chat.delete',
});
