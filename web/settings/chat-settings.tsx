import type { ReactNode } from 'react';
import { deleteChat, readChat, saveChat } from '#api/contract/chat.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { Switch } from '#web/ui/field.tsx';
import { whole } from '#web/ui/numbers.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import { When } from '#web/ui/when.tsx';

const POLL_MS = 5_000;
const PUBLIC_SERVER = 'https://api.telegram.org';
type Chat = NonNullable<Answer<typeof readChat>['chat']>;

/** The Telegram chat whose messages are commands. The bot token is write-only. */
export function ChatSettings(): ReactNode {
  const known = useRead(readChat, {}, { every: POLL_MS });
  return (
    <Section title="Telegram chat" note="commands and approvals from a phone">
      <Read of={known} what="the Telegram chat">
        {({ chat }) => (
          <>
            {chat === null ? <p className="two p-2">No chat can send commands.</p> : <Held chat={chat} />}
            <details className="px-2">
              <summary>{chat === null ? 'Set up a chat' : 'Change the chat'}</summary>
              <Setup key={chat?.since} chat={chat} />
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}

function Held({ chat }: { chat: Chat }): ReactNode {
  const { chatId, userIds, serverUrl, enabled, since, ignored, problem } = chat;
  const save = useAct(saveChat);
  return (
    <>
      {enabled && problem !== null ? (
        <Notice tone="loss" title="Telegram cannot be read.">
          {problem}
        </Notice>
      ) : null}
      <div className="p-2">
        <Switch
          label="Read commands"
          note={enabled ? 'Messages of this chat and these users count.' : 'Off: no message is read.'}
          on={enabled}
          disabled={save.isPending}
          onChange={(on) => save.mutate({ body: { chatId, userIds, serverUrl, enabled: on } })}
        />
      </div>
      <Failure what="Not changed." error={save.error} />
      <dl className="dl">
        <dt>Connection</dt>
        <dd>{enabled ? (problem === null ? 'no problem' : 'failed, tried again') : 'off'}</dd>
        <dt>Chat</dt>
        <dd>{chatId}</dd>
        <dt>Users</dt>
        <dd>{userIds.join(', ')}</dd>
        {serverUrl === PUBLIC_SERVER ? null : (
          <>
            <dt>Server</dt>
            <dd>{serverUrl}</dd>
          </>
        )}
        <dt>Reads messages since</dt>
        <dd>
          <When at={since} />
        </dd>
        <dt>Ignored messages of others</dt>
        <dd>{whole(ignored)}</dd>
      </dl>
      <div className="actions">
        <Confirm
          words="Remove…"
          title="Remove the Telegram chat?"
          action="Remove the chat"
          failed="Not removed."
          run={() => call(deleteChat, {})}
        >
          Its bot token is deleted, and no message is read any more.
        </Confirm>
      </div>
    </>
  );
}

const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');

function Setup({ chat }: { chat: Chat | null }): ReactNode {
  return (
    <>
      <ol className="steps-list">
        <li>
          In Telegram, open <b>@BotFather</b>, send <code>/newbot</code> and copy the token of the bot.
        </li>
        <li>Write any message to your bot.</li>
        <li>
          Open <code>{PUBLIC_SERVER}/bot…/getUpdates</code> with the token in place of the dots: <code>chat.id</code> is
          the chat, <code>from.id</code> is you.
        </li>
      </ol>
      <p className="two py-2">
        A code prevents mistakes, not misuse: anyone who holds the unlocked phone can use the chat.
      </p>
      <TextForm
        first={{
          chatId: chat?.chatId ?? '',
          userIds: chat?.userIds.join(', ') ?? '',
          serverUrl: chat === null || chat.serverUrl === PUBLIC_SERVER ? '' : chat.serverUrl,
        }}
        fields={[
          {
            name: 'botToken',
            label: 'Bot token',
            note: `${chat === null ? '' : 'Stored; empty keeps it for the same server. '}It is kept unencrypted in the database, is in no backup, and never shown again.`,
            input: { type: 'password', autoComplete: 'off', required: chat === null },
          },
          { name: 'chatId', label: 'Chat id', note: 'The one chat that counts; a group has a negative id.' },
          { name: 'userIds', label: 'User ids', note: 'Whose messages count, 1 to 20, separated by commas.' },
          {
            name: 'serverUrl',
            label: 'Server',
            note: 'Empty: api.telegram.org.',
            input: { required: false, inputMode: 'url' },
          },
        ]}
        submit={({ botToken = '', chatId = '', userIds = '', serverUrl = '' }) => {
          const body = { chatId: chatId.trim(), userIds: listOf(userIds), enabled: chat?.enabled ?? true };
          const token = botToken.trim() === '' ? {} : { botToken: botToken.trim() };
          const server = serverUrl.trim() === '' ? {} : { serverUrl: serverUrl.trim() };
          return call(saveChat, { body: { ...body, ...token, ...server } });
        }}
        action="Save the chat"
        failed="Not saved."
        done="Saved. Write /status to the bot."
      />
    </>
  );
}
