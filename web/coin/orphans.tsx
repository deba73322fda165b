import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import {
  adoptOrphanOrder,
  cancelOrphanOrder,
  detectOrphanOrders,
  leaveOrphanOrder,
  listOrphanOrders,
} from '#api/contract/orphans.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import type { Account } from '#web/data/answers.ts';
import { call } from '#web/data/call.ts';
import { useAction } from '#web/data/use-action.ts';
import { useRead } from '#web/data/read.ts';
import { ActionOutcome } from '#web/ui/action-outcome.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { AccountTag } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import { numberText } from '#web/ui/numbers.ts';
import { age } from '#web/ui/time.ts';
import { Read } from '#web/ui/read.tsx';

type Orphan = Answer<typeof listOrphanOrders>['orphans'][number];

const POLL_MS = 15_000;

export function OrphansPage(): ReactNode {
  const accounts = useRead(listAccounts, {});
  return (
    <>
      <title>Orphan orders · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/activity">Activity</Link>
        <span>Orphan orders</span>
      </nav>
      <div className="head">
        <h1 className="verdict">Orphan orders: on the exchange, not tracked by a profile</h1>
        <p className="two">
          An orphan order locks the funds that it would sell or spend. Adopt it if it belongs to a profile, cancel it,
          or ignore it. Nothing is cancelled automatically.
        </p>
      </div>
      <Read of={accounts} what="the accounts" rows={2} height={52}>
        {(data) => data.accounts.map((account) => <OneAccount key={account.id} account={account} />)}
      </Read>
    </>
  );
}

function OneAccount({ account }: { account: Account }): ReactNode {
  const params = { id: account.id };
  const orphans = useRead(listOrphanOrders, { params }, { every: POLL_MS });
  const check = useAction(account.id, () => call(detectOrphanOrders, { params }));
  const open = orphans.data?.orphans.filter(({ state }) => state === 'open' || state === 'left') ?? [];
  const resolved = orphans.data?.orphans.filter((orphan) => !open.includes(orphan)) ?? [];
  return (
    <Section
      title={account.name}
      note={
        <>
          <AccountTag tag={tagOf(account)} />{' '}
          {orphans.data?.checkedAt == null ? (
            'not checked yet'
          ) : (
            <>
              checked <When wall at={orphans.data.checkedAt} />
            </>
          )}
        </>
      }
    >
      <Read of={orphans} what="the orders" rows={1}>
        {() =>
          open.length === 0 ? (
            <p className="p-2">No orphan orders.</p>
          ) : (
            <ul className="block">
              {open.map((orphan) => (
                <OneOrphan key={orphan.orderId} accountId={account.id} orphan={orphan} />
              ))}
            </ul>
          )
        }
      </Read>
      <div className="actions">
        <button type="button" className="btn small" disabled={check.isWaiting} onClick={() => check.send(undefined)}>
          Check now
        </button>
        <ActionOutcome state={check} done="Exchange checked." />
      </div>
      {resolved.length === 0 ? null : (
        <details className="px-2">
          <summary>{resolved.length} resolved</summary>
          <ul className="block">
            {resolved.map((orphan) => (
              <li key={orphan.orderId}>
                <Icon name="minus" />
                <span>
                  {words(orphan)}: {orphan.state}, last seen <When wall at={orphan.lastSeenAt} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

/** The asset that the order buys or sells, where the locked asset names it. */
const baseOf = ({ side, symbol, locked }: Pick<Orphan, 'side' | 'symbol' | 'locked'>): string => {
  if (locked === null) return symbol;
  return side === 'sell' ? locked.asset : symbol.replace(new RegExp(`${locked.asset}$`), '');
};

const words = (orphan: Orphan): string => {
  const { side, quantity, price, stopPrice } = orphan;
  const at = price === null ? '' : ` at ${grouped(price)}`;
  const from = stopPrice === null ? '' : `, trigger ${grouped(stopPrice)}`;
  return `${side === 'buy' ? 'Buy' : 'Sell'} order: ${quantity} ${baseOf(orphan)}${at}${from}`;
};

/** A price with comma groups and all of its decimals, at least two. */
const grouped = (amount: string): string => numberText(Number(amount), Math.max(2, amount.split('.')[1]?.length ?? 0));

function OneOrphan({ accountId, orphan }: { accountId: AccountId; orphan: Orphan }): ReactNode {
  const { symbol, orderId, owner, locked, ageSeconds, placedAt, filledQuantity, state, clientOrderId } = orphan;
  const params = { id: accountId, symbol, orderId };
  const act = useAction(accountId, (what: 'adopt' | 'cancel') =>
    call(what === 'adopt' ? adoptOrphanOrder : cancelOrphanOrder, { params }),
  );
  return (
    <li>
      <span className="care">
        <Icon name={state === 'left' ? 'ring' : 'warn'} />
      </span>
      <div>
        <b>
          <Prose text={words(orphan)} />
        </b>
        {Number(filledQuantity) > 0 ? <span className="two">, {filledQuantity} filled</span> : null}
        <span className="note block">
          placed <When at={placedAt} />, {age(ageSeconds * 1000)} old
          {locked === null ? '' : `; locks ${locked.amount} ${locked.asset}`}
          {state === 'left' ? '; ignored' : ''}
        </span>
        <span className="note block">
          {owner.proven ? 'Belongs to' : owner.profileName === null ? 'Unknown owner' : 'May belong to'}{' '}
          {owner.profileName}: {owner.evidence}
        </span>
        <span className="note block mono">{clientOrderId}</span>
        <div className="flex flex-wrap items-center gap-3 pt-2">
          <button
            type="button"
            className="btn small"
            disabled={!owner.proven || act.isWaiting}
            onClick={() => act.send('adopt')}
          >
            {owner.proven ? `Adopt into ${owner.profileName}` : 'Adopt'}
          </button>
          <Confirm
            small
            words="Cancel order"
            title={`Cancel the order of ${symbol}?`}
            action={`Cancel ${words(orphan).replace(/^./, (letter) => letter.toLowerCase())}`}
            keep="Keep order"
            failed="Not cancelled."
            run={async () => act.send('cancel')}
          >
            The worker cancels the order on the exchange. The filled part stays bought or sold.
          </Confirm>
          {state === 'left' ? null : <Ignore params={params} />}
          {owner.proven ? null : <span className="why">Only an order with a proven owner can be adopted.</span>}
        </div>
        <ActionOutcome state={act} done="Done." />
      </div>
    </li>
  );
}

function Ignore({ params }: { params: { id: AccountId; symbol: string; orderId: string } }): ReactNode {
  return (
    <Confirm
      small
      words="Ignore order"
      title="Ignore this order?"
      action={`Ignore the order of ${params.symbol}`}
      failed="Not ignored."
      run={() => call(leaveOrphanOrder, { params })}
    >
      The order stays open on the exchange and keeps its funds locked. You get no more reminders.
    </Confirm>
  );
}
