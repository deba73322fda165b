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
import { Failure, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { tagOf } from '#web/ui/accounts.ts';
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
        <h1 className="verdict">Orders on the exchange that no profile tracks.</h1>
        <p className="two">
          Such an orphan order locks what it would sell or spend. Adopt it when it belongs to a profile, cancel it, or
          leave it: nothing here is cancelled by itself.
        </p>
      </div>
      {error === null ? null : <Failure what="The accounts could not be read." error={error} />}
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
  const look = useAction(account.id, () => call(detectOrphanOrders, { params }));
  const open = data?.orphans.filter(({ state }) => state === 'open' || state === 'left') ?? [];
  const resolved = data?.orphans.filter((orphan) => !open.includes(orphan)) ?? [];
  return (
    <Section
      title={account.name}
      note={
        <>
          <AccountTag tag={tagOf(account)} />{' '}
          {data?.checkedAt == null ? (
            'not looked yet'
          ) : (
            <>
              looked <When at={data.checkedAt} />
            </>
          )}
        </>
      }
    >
      {error === null ? null : <Failure what="The orders could not be read." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={2} height={52} /> : null}
      {data !== undefined && open.length === 0 ? <p className="p-2">There are none.</p> : null}
      <ul className="block">
        {open.map((orphan) => (
          <OneOrphan key={orphan.orderId} accountId={account.id} orphan={orphan} />
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="btn small" disabled={look.isWaiting} onClick={() => look.ask(undefined)}>
          Look now
        </button>
        <ActionOutcome state={look} done="The exchange was asked." />
      </div>
      {resolved.length === 0 ? null : (
        <details className="px-2">
          <summary>{resolved.length} that are resolved</summary>
          <ul className="block">
            {resolved.map((orphan) => (
              <li key={orphan.orderId}>
                <Icon name="minus" />
                <span>
                  {words(orphan)}: {orphan.state}, last seen <When at={orphan.lastSeenAt} />
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
  const at = price === null ? '' : ` at ${price}`;
  const from = stopPrice === null ? '' : ` once it reaches ${stopPrice}`;
  return `${side === 'buy' ? 'Buys' : 'Sells'} ${quantity} ${symbol}${at}${from}`;
};

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
        {Number(filledQuantity) > 0 ? <span className="two">, {filledQuantity} of it executed</span> : null}
        <span className="note block">
          placed <When at={placedAt} />, {age(ageSeconds * 1000)} old
          {locked === null ? '' : `; locks ${locked.amount} ${locked.asset}`}
          {state === 'left' ? '; you left it there' : ''}
        </span>
        <span className="note block">
          {owner.proven ? 'Belongs to' : owner.profileName === null ? 'No owner is known' : 'May belong to'}{' '}
          {owner.profileName}: {owner.evidence}
        </span>
        <span className="note block mono">{clientOrderId}</span>
        <div className="flex flex-wrap items-center gap-3 pt-2">
          <button
            type="button"
            className="btn small"
            disabled={!owner.proven || act.isWaiting}
            onClick={() => act.ask('adopt')}
          >
            {owner.proven ? `Adopt into ${owner.profileName}` : 'Adopt'}
          </button>
          <Confirm
            small
            words="Cancel it"
            title={`Cancel the ${symbol} order ${orderId}?`}
            action={`Cancel: ${words(orphan).toLowerCase()}`}
            failed="Not cancelled."
            run={async () => act.ask('cancel')}
          >
            The worker cancels it on the exchange. What it has executed already stays as it is.
          </Confirm>
          {state === 'left' ? null : <Leave accountId={accountId} params={params} />}
          {owner.proven ? null : <span className="why">Only an order with a proven owner can be adopted.</span>}
        </div>
        <ActionOutcome state={act} done="Done." />
      </div>
    </li>
  );
}

interface LeaveProps {
  accountId: AccountId;
  params: { id: AccountId; symbol: string; orderId: string };
}

function Leave({ accountId, params }: LeaveProps): ReactNode {
  const { refetch } = useQuery({ queryKey: orphansKey(accountId), enabled: false });
  return (
    <Confirm
      small
      words="Leave it"
      title="Leave this order where it is?"
      action={`Leave the ${params.symbol} order ${params.orderId}`}
      keep="Decide later"
      failed="Not left."
      run={async () => {
        await call(leaveOrphanOrder, { params });
        await refetch();
      }}
    >
      It keeps resting on the exchange, and keeps locking what it locks. You are not reminded of it again.
    </Confirm>
  );
}
