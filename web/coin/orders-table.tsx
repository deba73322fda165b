import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { cancelOrder } from '#api/contract/manual.ts';
import { call } from '#web/data/call.ts';
import type { Order } from '#web/data/queries.ts';
import { price, quantity } from '#web/ui/numbers.ts';
import { orderCause, orderName, orderPrice, stateWords } from './order-words.ts';
import { AskWorker } from './ask-worker.tsx';
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

/** Orders, newest first, each with the state that its evidence supports. */
export function OrdersTable({
  rows,
  withCoin = true,
  accountId,
}: {
  rows: readonly OrderRow[];
  withCoin?: boolean;
  /** Where it is given, what rests on the exchange can be cancelled. */
  accountId?: AccountId;
}): ReactNode {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, FIRST);
  return (
    <div className="tw">
      <table className="cards">
        <thead>
          <tr>
            <th>Time</th>
            {withCoin ? <th>Coin</th> : <th>Order</th>}
            <th>What</th>
            <th className="num">Quantity</th>
            <th className="num">Price</th>
            <th>State</th>
            {accountId === undefined ? null : <th aria-label="Actions" />}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row key={row.order.id} row={row} withCoin={withCoin} accountId={accountId} />
          ))}
        </tbody>
      </table>
      {shown.length === rows.length ? null : (
        <div className="actions">
          <button type="button" className="btn small" onClick={() => setAll(true)}>
            Show all {rows.length} orders
          </button>
        </div>
      )}
    </div>
  );
}

function Row({
  row: { order, profileId, tickSize, stepSize, base },
  withCoin,
  accountId,
}: {
  row: OrderRow;
  withCoin: boolean;
  accountId: AccountId | undefined;
}): ReactNode {
  const state = stateWords(order.state);
  const cause = orderCause(order);
  return (
    <tr>
      <td className="note">
        <When at={order.createdAt} />
      </td>
      <td className="rt">
        {withCoin ? (
          <Link to="/profiles/$id/coins/$symbol" params={{ id: profileId, symbol: order.symbol }}>
            <b>{base}</b>
          </Link>
        ) : (
          <Link to="/orders/$id" params={{ id: order.id }} className="mono" title={order.clientOrderId}>
            {order.clientOrderId.split('-').at(-1)}
          </Link>
        )}
      </td>
      <td>
        {withCoin ? (
          <Link to="/orders/$id" params={{ id: order.id }}>
            {orderName(order)}
          </Link>
        ) : (
          orderName(order)
        )}
        {cause === null ? null : <span className="note">{cause}</span>}
      </td>
      <td className="num rt">
        {quantity(order.quantity, stepSize)} <span className="unit">{base}</span>
      </td>
      <td className="num">
        {price(orderPrice(order), tickSize)}
        {order.stopPrice === null ? null : <span className="note">from {price(order.stopPrice, tickSize)}</span>}
      </td>
      <td className="rt">
        <span className={state.care ? 'care nb' : 'nb'}>
          <Icon name={state.mark} /> {state.text}
        </span>
        {order.state === 'partially-filled' ? (
          <span className="note">{quantity(order.filledQuantity, stepSize)} so far</span>
        ) : null}
        {order.state === 'unknown' ? <span className="note">nothing is sent again until it is certain</span> : null}
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
  /** How much of what it is for. */
  words: string;
}

function CancelOrder({ accountId, profileId, order, words }: CancelProps): ReactNode {
  const name = `${orderName(order).toLowerCase()} of ${words}`;
  const params = { id: profileId, symbol: order.symbol, orderId: order.id };
  return (
    <AskWorker
      small
      accountId={accountId}
      offered={CANCELLABLE.includes(order.state)}
      words="Cancel"
      label={`Cancel the ${name}`}
      title={`Cancel the ${name}?`}
      action={`Cancel the ${name}`}
      done="Cancelled."
      run={() => call(cancelOrder, { params })}
    >
      <p>
        {order.purpose === 'stop'
          ? 'The position is then without a stop on the exchange until the worker places the next one, which it does by itself while the profile is on.'
          : 'What of it is filled already stays bought or sold. The strategy may place another when its rules say so; disable the profile or pause the coin if it should not.'}
      </p>
    </AskWorker>
  );
}
