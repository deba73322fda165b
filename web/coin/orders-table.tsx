import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { cancelOrder } from '#api/contract/manual.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import { call } from '#web/data/call.ts';
import type { Order } from '#web/data/answers.ts';
import { MISSING, money, price, quantity } from '#web/ui/numbers.ts';
import { type OrderGroup, orderGroups } from './order-groups.ts';
import { orderCause, orderName, orderPrice, stateLabel } from './order-labels.ts';
import { WorkerAction } from './worker-action.tsx';
import type { OrderResult } from './order-results.ts';
import { Gain } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { When } from '#web/ui/when.tsx';

interface OrderRow {
  readonly order: Order;
  readonly profileId: ProfileId;
  readonly tickSize: string | null;
  readonly stepSize: string | null;
  readonly base: string;
  /** Fees and P&L; only the table of one coin shows them. */
  readonly result?: OrderResult | undefined;
}

const FIRST = 12;
const CANCELLABLE: readonly string[] = ['open', 'partially-filled'];

/** Orders, newest first. */
export function OrdersTable({
  rows,
  quote,
  accountId,
  accountOf,
}: {
  rows: readonly OrderRow[];
  /** The quote asset of the one coin of the table, which then has columns for fees and P&L instead of one for the coin. */
  quote?: string;
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
            {quote === undefined ? <th>Coin</th> : null}
            <th>Order</th>
            <th>Status</th>
            <th className="num">Quantity</th>
            <th className="num">Price{quote === undefined ? '' : `, ${quote}`}</th>
            {quote === undefined ? null : (
              <>
                <th className="num">Fee, {quote}</th>
                <th className="num">P&amp;L, {quote}</th>
              </>
            )}
            {accountId === undefined && accountOf === undefined ? null : <th aria-label="Actions" />}
          </tr>
        </thead>
        <tbody>
          {shown.map((group) => (
            <Group key={group.row.order.id} {...{ group, quote }} accountId={accountIdOf(group.row.profileId)} />
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
  quote: string | undefined;
  accountId: AccountId | undefined;
}

/** An order; the stops that it replaced are shown on demand. */
function Group({ group: { row, replaced }, quote, accountId }: GroupProps): ReactNode {
  const [open, setOpen] = useState(false);
  const times = replaced.length === 1 ? 'once' : `${replaced.length} times`;
  return (
    <>
      <Row {...{ row, quote, accountId }}>
        {replaced.length === 0 ? null : (
          <span className="note">
            <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
              moved {times}: {open ? 'hide' : 'show'}
            </button>
          </span>
        )}
      </Row>
      {open ? replaced.map((old) => <Row key={old.order.id} row={old} {...{ quote, accountId }} />) : null}
    </>
  );
}

interface RowProps {
  row: OrderRow;
  quote: string | undefined;
  accountId: AccountId | undefined;
  children?: ReactNode;
}

function Row({ row, quote, accountId, children }: RowProps): ReactNode {
  const { order, profileId, tickSize, stepSize, base, result } = row;
  const cause = orderCause(order);
  return (
    <tr>
      <td className={quote === undefined ? 'note' : 'note full'}>
        <When at={order.createdAt} />
      </td>
      {quote === undefined ? (
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
        <Link to="/orders/$id" params={{ id: order.id }}>
          {orderName(order)}
        </Link>
        {cause === null ? null : <span className="note">{cause}</span>}
        {children}
      </td>
      <Status order={order} stepSize={stepSize} />
      <td className="num" data-l={quote === undefined ? undefined : 'Quantity'}>
        {quantity(order.quantity, stepSize)} <span className="unit">{base}</span>
      </td>
      <td className="num rt" data-l={quote === undefined ? undefined : `Price, ${quote}`}>
        {price(orderPrice(order), tickSize)}
        {order.stopPrice === null ? null : <span className="note">trigger {price(order.stopPrice, tickSize)}</span>}
      </td>
      {quote === undefined ? null : <Result result={result} quote={quote} />}
      {accountId === undefined ? null : (
        <td className="num full">
          <CancelOrder {...{ accountId, profileId, order }} words={`${quantity(order.quantity, stepSize)} ${base}`} />
        </td>
      )}
    </tr>
  );
}

function Status({ order, stepSize }: Pick<OrderRow, 'order' | 'stepSize'>): ReactNode {
  const state = stateLabel(order.state);
  return (
    <td className="rt">
      <span className={state.care ? 'care nb' : 'nb'}>
        <Icon name={state.mark} /> {state.text}
      </span>
      {order.state === 'partially-filled' ? (
        <span className="note">{quantity(order.filledQuantity, stepSize)} filled</span>
      ) : null}
      {order.state === 'unknown' ? <span className="note">not sent again until confirmed</span> : null}
    </td>
  );
}

function Result({ result, quote }: { result: OrderResult | undefined; quote: string }): ReactNode {
  const fee = result?.fee == null ? null : formatDecimal(result.fee);
  return (
    <>
      <td className="num" data-l={`Fee, ${quote}`} title={fee === null ? undefined : `${fee} ${quote}`}>
        {fee === null ? <span className="two">{MISSING}</span> : money(fee, quote)}
      </td>
      <td className="num rt" data-l={`P&L, ${quote}`}>
        <Gain value={result?.pnl ?? null} unit={quote} bare />
      </td>
    </>
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
