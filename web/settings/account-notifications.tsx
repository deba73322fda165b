import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { listAccountNotifiers } from '#api/contract/account-notifiers.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { useRead } from '#web/data/read.ts';
import { useDemo } from '#web/data/session.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import type { AccountNotifiers } from './account-notifiers.ts';
import { Browsers } from './browsers.tsx';
import { Channel } from './channel.tsx';
import { EventMatrix } from './event-matrix.tsx';
import { messagesOf } from './messages.ts';
import { OpsNotifySettings } from './ops-notify.tsx';
import { PriceAlerts } from './price-alerts.tsx';
import { ProfileChannels } from './profile-channels.tsx';

/** Channels, events and price alerts of an account. */
export function AccountNotificationsPage(): ReactNode {
  const all = useRead(listAccounts, {});
  const demo = useDemo();
  const [wanted, setWanted] = useState<string>();
  const accounts = all.data?.accounts ?? [];
  const account = accounts.find(({ id }) => id === wanted) ?? accounts[0];
  return (
    <>
      <title>Notifications · Tradewind</title>
      {demo ? (
        <div className="head">
          <h1 className="verdict">Notifications</h1>
          <p className="two">The live demo sends no messages.</p>
        </div>
      ) : account === undefined ? (
        <Read of={all} what="the accounts" title="Notifications" rows={5}>
          {() => <p className="two">There is no account yet.</p>}
        </Read>
      ) : (
        <OfAccount key={account.id} id={account.id}>
          {accounts.length < 2 ? null : (
            <span className="in">
              <select aria-label="Account" value={account.id} onChange={({ target }) => setWanted(target.value)}>
                {accounts.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </span>
          )}
        </OfAccount>
      )}
    </>
  );
}

/** `Messages go to Telegram and Chrome on Linux; the last one failed.` */
function verdictOf({ notifiers, browsers, deliveries }: AccountNotifiers): string {
  const on = [
    ...notifiers.filter(({ configured }) => configured?.enabled === true).map(({ title }) => title),
    ...browsers.filter(({ enabled }) => enabled).map(({ label }) => label),
  ];
  if (on.length === 0) return 'No notifications are set up.';
  const names = on.length === 1 ? on.join('') : `${on.slice(0, -1).join(', ')} and ${on.at(-1)}`;
  const last = deliveries[0];
  const result = last === undefined ? '' : last.error === null ? '; the last one arrived' : '; the last one failed';
  return `Messages go to ${names}${result}.`;
}

function OfAccount({ id, children }: { id: AccountId; children: ReactNode }): ReactNode {
  const answer = useRead(listAccountNotifiers, { params: { id } });
  return (
    <>
      <div className="head">
        <h1 className="verdict">{answer.data === undefined ? 'Notifications' : verdictOf(answer.data)}</h1>
        <p className="two">For all profiles of the account. {children}</p>
      </div>
      <Read of={answer} what="the notifications" rows={8} height={52}>
        {(data) => (
          <div className="cols">
            <div className="c7">
              <Section title="Channels">
                <Browsers id={id} browsers={data.browsers} deliveries={data.deliveries} />
                {data.notifiers.map((kind) => (
                  <Channel
                    key={kind.provider}
                    id={id}
                    kind={kind}
                    last={data.deliveries.find(({ channel }) => channel === kind.title)}
                  />
                ))}
                <ProfileChannels id={id} />
              </Section>
              <PriceAlerts id={id} />
            </div>
            <div className="c5">
              <EventMatrix id={id} data={data} />
              <Recent deliveries={data.deliveries} />
              <OpsNotifySettings />
            </div>
          </div>
        )}
      </Read>
    </>
  );
}

const MESSAGES_SHOWN = 10;

function Recent({ deliveries }: Pick<AccountNotifiers, 'deliveries'>): ReactNode {
  const messages = messagesOf(deliveries).slice(0, MESSAGES_SHOWN);
  return (
    <Section title="Recent">
      {messages.length === 0 ? (
        <p className="p-2">No message was sent yet.</p>
      ) : (
        <table className="cards">
          <thead>
            <tr>
              <th>Time</th>
              <th>Status</th>
              <th>Message</th>
            </tr>
          </thead>
          <tbody>
            {messages.map(({ at, title, channels, errors }) => (
              <tr key={`${at} ${title}`}>
                <td className="note nb">
                  <When at={at} wall />
                </td>
                <td className={errors.length === 0 ? 'rt nb' : 'rt nb care'}>
                  <Icon name={errors.length === 0 ? 'ok' : 'warn'} />{' '}
                  {errors.length === 0 ? 'sent' : `${channels - errors.length} of ${channels} sent`}
                </td>
                <td className="full">
                  {title}
                  {errors.map((error) => (
                    <span key={error} className="care block">
                      {error}
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
