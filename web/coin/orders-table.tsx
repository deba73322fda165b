import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { cancelOrder } from '#api/contract/manual.ts';
import { call } from '#web/data/call.ts';
import type { Order } from '#web/data/answers.ts';
import { price, quantity } from '#web/ui/numbers.ts';
import { type OrderGroup, orderGroups } from './order-groups.ts';
import { orderCause, orderName, orderPrice, stateLabel } from './order-labels.ts';
import { WorkerAction } from './worker-action.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { When } from '#web/ui/when.tsx';

interface OrderRow {
  readonly order: Order;
  readonly profileId: ProfileId;
  readonly tickSize: string | null;
  readonly stepSize: string | null;
  readonly base: string;
}

const FIRST = 12;
const CANCELLABLE: readonly string[] = ['open', 'partially-filled'];

/** Orders, newest first. */
export function OrdersTable({
  rows,
  withCoin = true,
  accountId,
  accountOf,
}: {
  rows: readonly OrderRow[];
  withCoin?: boolean;
  /** With an account, open orders can be cancelled. */
  accountId?: AccountId;
  /** The account of a profile, where orders of several are listed. */
  accountOf?: (profileId: ProfileId) => AccountId | undefined;
}): ReactNode {
  const [all, setAll] = useState(false);
  const groups = orderGroups(rows);
  const shown = all ? groups : groups.slice(0, FIRST);
  const accountIdOf = (profileId: ProfileId): AccountId | undefined => accountId ?? accountOf?.(profileId);
  return (
    <div className="tw">
      <table className="cards">
        <thead>
          <tr>
            <th>Time</th>
            {withCoin ? <th>Coin</th> : null}
            <th>Order</th>
            <th className="num">Quantity</th>
            <th className="num">Price</th>
            <th>State</th>
            {accountId === undefined && accountOf === undefined ? null : <th aria-label="Actions" />}
          </tr>
        </thead>
        <tbody>
          {shown.map((group) => (
            <Group key={group.row.order.id} {...{ group, withCoin }} accountId={accountIdOf(group.row.profileId)} />
          ))}
        </tbody>
      </table>
      {shown.length === groups.length ? null : (
        <div className="actions">
          <button type="button" className="btn small" onClick={() => setAll(true)}>
            Show all {groups.length}
          </button>
        </div>
      )}
    </div>
  );
}

interface GroupProps {
  group: OrderGroup<OrderRow>;
  withCoin: boolean;
  accountId: AccountId | undefined;
}

/** An order; the stops that it replaced are shown on demand. */
function Group({ group: { row, replaced }, withCoin, accountId }: GroupProps): ReactNode {
  const [open, setOpen] = useState(false);
  const times = replaced.length === 1 ? 'once' : `${replaced.length} times`;
  return (
    <>
      <Row {...{ row, withCoin, accountId }}>
        {replaced.length === 0 ? null : (
          <span className="note">
            <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
              moved {times}: {open ? 'hide' : 'show'}
            </button>
          </span>
        )}
      </Row>
      {open ? replaced.map((old) => <Row key={old.order.id} row={old} {...{ withCoin, accountId }} />) : null}
    </>
  );
}

interface RowProps {
  row: OrderRow;
  withCoin: boolean;
  accountId: AccountId | undefined;
  children?: ReactNode;
}

function Row({ row, withCoin, accountId, children }: RowProps): ReactNode {
  const { order, profileId, tickSize, stepSize, base } = row;
  const state = stateLabel(order.state);
  const cause = orderCause(order);
  return (
    <tr>
      <td className={withCoin ? 'note' : 'note full'}>
        <When at={order.createdAt} />
      </td>
      {withCoin ? (
        <td className="rt">
          <Link
            className="font-strong"
            to="/profiles/$id/coins/$symbol"
            params={{ id: profileId, symbol: order.symbol }}
          >
            {base}
          </Link>
        </td>
      ) : null}
      <td>
        <Link to="/orders/$id" params={{ id: order.id }} title={order.clientOrderId}>
          {orderName(order)}
        </Link>
        {cause === null ? null : <span className="note">{cause}</span>}
        {children}
      </td>
      <td className="num rt">
        {quantity(order.quantity, stepSize)} <span className="unit">{base}</span>
      </td>
      <td className="num">
        {price(orderPrice(order), tickSize)}
        {order.stopPrice === null ? null : <span className="note">trigger {price(order.stopPrice, tickSize)}</span>}
      </td>
      <td className="rt">
        <span className={state.care ? 'care nb' : 'nb'}>
          <Icon name={state.mark} /> {state.text}
        </span>
        {order.state === 'partially-filled' ? (
          <span className="note">{quantity(order.filledQuantity, stepSize)} filled</span>
        ) : null}
        {order.state === 'unknown' ? <span className="note">not sent again until confirmed</span> : null}
      </td>
      {accountId === undefined ? null : (
        <td className="num full">
          <CancelOrder {...{ accountId, profileId, order }} words={`${quantity(order.quantity, stepSize)} ${base}`} />
        </td>
      )}
    </tr>
  );
}

interface CancelProps {
  accountId: AccountId;
  profileId: ProfileId;
  order: Order;
  /** Quantity and base asset. */
  words: string;
}

function CancelOrder({ accountId, profileId, order, words }: CancelProps): ReactNode {
  const name = `${orderName(order).toLowerCase()} of ${words}`;
  const params = { id: profileId, symbol: order.symbol, orderId: order.id };
  return (
    <WorkerAction
      small
      accountId={accountId}
      offered={CANCELLABLE.includes(order.state)}
      words="Cancel"
      label={`Cancel the ${name}`}
      title={`Cancel the ${name}?`}
      action={`Cancel the ${name}`}
      keep="Keep order"
      done="Cancelled."
      run={() => call(cancelOrder, { params })}
    >
      <p>
        {order.purpose === 'stop'
          ? 'The position then has no stop on the exchange until the worker places the next one. It does so automatically while the profile is running.'
          : 'The filled part stays bought or sold. The strategy may place another order; to prevent that, pause the profile or the coin.'}
      </p>
    </WorkerAction>
  );
}
