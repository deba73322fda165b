import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import type { listAccounts } from '#api/contract/accounts.ts';
import type { Answer } from '#api/contract/operation.ts';
import {
  adoptOrphanOrder,
  cancelOrphanOrder,
  detectOrphanOrders,
  leaveOrphanOrder,
  listOrphanOrders,
} from '#api/contract/orphans.ts';
import { call } from '#web/data/call.ts';
import { accountsQuery, orphansKey } from '#web/data/queries.ts';
import { useAction } from '#web/data/use-action.ts';
import { ActionOutcome } from '#web/ui/action-outcome.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { AccountTag } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import { numberText } from '#web/ui/numbers.ts';
import { age } from '#web/ui/time.ts';

type Orphan = Answer<typeof listOrphanOrders>['orphans'][number];
type Account = Answer<typeof listAccounts>['accounts'][number];

export function OrphansPage(): ReactNode {
  const { data, error } = useQuery(accountsQuery);
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
      {error === null ? null : <Failure what="Could not load the accounts." error={error} />}
      {data?.accounts.map((account) => (
        <OneAccount key={account.id} account={account} />
      ))}
    </>
  );
}

function OneAccount({ account }: { account: Account }): ReactNode {
  const params = { id: account.id };
  const { data, error } = useQuery({
    queryKey: orphansKey(account.id),
    queryFn: ({ signal }) => call(listOrphanOrders, { params }, signal),
    refetchInterval: 15_000,
  });
  const check = useAction(account.id, () => call(detectOrphanOrders, { params }));
  const open = data?.orphans.filter(({ state }) => state === 'open' || state === 'left') ?? [];
  const resolved = data?.orphans.filter((orphan) => !open.includes(orphan)) ?? [];
  return (
    <Section
      title={account.name}
      note={
        <>
          <AccountTag tag={tagOf(account)} />{' '}
          {data?.checkedAt == null ? (
            'not checked yet'
          ) : (
            <>
              checked <When wall at={data.checkedAt} />
            </>
          )}
        </>
      }
    >
      {error === null ? null : <Failure what="Could not load the orders." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={2} height={52} /> : null}
      {data !== undefined && open.length === 0 ? <p className="p-2">No orphan orders.</p> : null}
      <ul className="block">
        {open.map((orphan) => (
          <OneOrphan key={orphan.orderId} accountId={account.id} orphan={orphan} />
        ))}
      </ul>
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

const words = ({ side, quantity, symbol, price, stopPrice }: Orphan): string => {
  const at = price === null ? '' : ` at ${grouped(price)}`;
  const from = stopPrice === null ? '' : `, trigger ${grouped(stopPrice)}`;
  return `${side === 'buy' ? 'Buy' : 'Sell'} order: ${quantity} ${symbol}${at}${from}`;
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
          {state === 'left' ? null : <Ignore accountId={accountId} params={params} />}
          {owner.proven ? null : <span className="why">Only an order with a proven owner can be adopted.</span>}
        </div>
        <ActionOutcome state={act} done="Done." />
      </div>
    </li>
  );
}

interface IgnoreProps {
  accountId: AccountId;
  params: { id: AccountId; symbol: string; orderId: string };
}

function Ignore({ accountId, params }: IgnoreProps): ReactNode {
  const { refetch } = useQuery({ queryKey: orphansKey(accountId), enabled: false });
  return (
    <Confirm
      small
      words="Ignore order"
      title="Ignore this order?"
      action={`Ignore the order of ${params.symbol}`}
      failed="Not ignored."
      run={async () => {
        await call(leaveOrphanOrder, { params });
        await refetch();
      }}
    >
      The order stays open on the exchange and keeps its funds locked. You get no more reminders.
    </Confirm>
  );
}
