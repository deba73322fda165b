import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { listAccountNotifiers } from '#api/contract/account-notifiers.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { useRead } from '#web/data/read.ts';
import { useDemo } from '#web/data/session.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import type { AccountNotifiers } from './account-notifiers.ts';
import { Browsers } from './browsers.tsx';
import { Channel } from './channel.tsx';
import { EventMatrix } from './event-matrix.tsx';
import { OpsNotifySettings } from './ops-notify.tsx';
import { PriceAlerts } from './price-alerts.tsx';

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
              <Section title="Channels" note="a saved channel can be tested">
                <Browsers id={id} browsers={data.browsers} />
                {data.notifiers.map((kind) => (
                  <Channel key={kind.provider} id={id} kind={kind} />
                ))}
              </Section>
              <PriceAlerts id={id} />
            </div>
            <div className="c5">
              <EventMatrix id={id} data={data} />
              <Deliveries deliveries={data.deliveries} />
              <OpsNotifySettings />
            </div>
          </div>
        )}
      </Read>
    </>
  );
}

const DELIVERIES_SHOWN = 10;

function Deliveries({ deliveries }: Pick<AccountNotifiers, 'deliveries'>): ReactNode {
  return (
    <Section title="Recent messages">
      {deliveries.length === 0 ? <Notice tone="next">No message was sent yet.</Notice> : null}
      <ul className="feed">
        {deliveries.slice(0, DELIVERIES_SHOWN).map(({ at, title, channel, error }) => (
          <li key={`${at} ${channel} ${title}`}>
            <When at={at} wall />
            <div>
              <span>{title}</span>
              <span className={error === null ? 'note block' : 'care block'}>
                {error === null ? `Sent to ${channel}.` : `${channel} did not accept it: ${error}.`}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
