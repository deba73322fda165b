import { useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type Decimal, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { placeOrder, readOrderTerms } from '#api/contract/manual.ts';
import { readDashboard } from '#api/contract/records.ts';
import { blockersOf } from '#web/data/blockers.ts';
import { call } from '#web/data/call.ts';
import type { Coin, OrderTerms } from '#web/data/answers.ts';
import { useIsStale } from '#web/data/live.tsx';
import { useRead } from '#web/data/read.ts';
import { useAction } from '#web/data/use-action.ts';
import { ActionOutcome } from '#web/ui/action-outcome.tsx';
import { Gain } from '#web/ui/figures.tsx';
import { MISSING, money, percent, price, quantity } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose } from '#web/ui/when.tsx';
import { coinView } from './coin-view.ts';
import { Amount, Choice } from './ticket-fields.tsx';
import {
  type Estimate,
  estimateOf,
  plain,
  sellable,
  shareText,
  type Side,
  smallestText,
  type TicketEntry,
} from './ticket.ts';

interface TicketProps {
  accountId: AccountId;
  profileId: ProfileId;
  coin: Coin;
}

const POLL_MS = 15_000;
const SIDES = [
  ['buy', 'Buy'],
  ['sell', 'Sell'],
] as const;
const SHARES = [25, 50, 75, 100] as const;
/** A size for each side, as they have different units. */
const TYPES = [
  ['market', 'Market'],
  ['limit', 'Limit'],
] as const;
const EMPTY = { buy: '', sell: '', limit: '' };

/** A manual order with its expected numbers; the worker checks and executes it. */
export function OrderTicket(props: TicketProps): ReactNode {
  const { profileId, coin } = props;
  const terms = useRead(readOrderTerms, { params: { id: profileId, symbol: coin.symbol } }, { every: POLL_MS });
  const { isOpen, close } = useSheet();
  return (
    <div className="sheet" data-open={isOpen}>
      <Section title="Order ticket" note="manual">
        <button type="button" className="btn sheet-close" onClick={close}>
          Close
        </button>
        <Read of={terms} what="the balance" rows={8}>
          {(known) => <Form {...props} terms={known} />}
        </Read>
      </Section>
    </div>
  );
}

/** On a phone the ticket is a sheet, open while the address names a side. */
function useSheet() {
  const isOpen = useLocation({ select: ({ hash }) => hash === 'buy' || hash === 'sell' });
  const navigate = useNavigate();
  const close = (): void => void navigate({ to: '.', search: true, hash: '', replace: true, resetScroll: false });
  useEffect(() => {
    if (!isOpen) return undefined;
    const press = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape' && document.querySelector('dialog[open]') === null) close();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return { isOpen, close };
}

/** The side of the order is in the address: `#buy` or `#sell`, as the palette opens it. It focuses the amount. */
function useSide() {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const amount = useRef<HTMLInputElement>(null);
  const side: Side = hash === 'sell' ? 'sell' : 'buy';
  useEffect(() => {
    if (hash !== side) return;
    amount.current?.focus({ preventScroll: true });
    amount.current?.scrollIntoView({ block: 'nearest' });
  }, [hash, side]);
  const setSide = (next: Side): void =>
    void navigate({ to: '.', search: true, hash: next, replace: true, resetScroll: false });
  return { side, setSide, amount };
}

/** Why no order can be sent now. */
function useObstacle(side: Side, held: boolean): string | null {
  if (useIsStale()) return 'No orders while prices are old.';
  return side === 'sell' && !held ? 'No position to sell.' : null;
}

function Form({ accountId, profileId, coin, terms }: TicketProps & { terms: OrderTerms }): ReactNode {
  const { side, setSide, amount } = useSide();
  const [isLimit, setIsLimit] = useState(false);
  const [typed, setTyped] = useState(EMPTY);
  const order = useOrder({ accountId, profileId, symbol: coin.symbol });
  // A second press must not repeat an order that was sent.
  const amountText = order.isDone ? '' : typed[side];
  const entry: TicketEntry = { side, amount: amountText, limit: isLimit ? typed.limit : '' };
  const estimate = estimateOf({ coin, terms, entry });
  const { base, quote, held } = coinView(coin);
  const change = (part: Partial<typeof EMPTY>): void => {
    if (order.isWaiting) return;
    setTyped({ ...typed, [side]: amountText, ...part });
    order.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    order.send(entry);
  };
  const why = useObstacle(side, held);
  return (
    <form className="ticket" onSubmit={submit} noValidate>
      <Choice name="Side" options={SIDES} value={side} onChange={setSide} />
      <Choice
        small
        name="Type"
        options={TYPES}
        value={isLimit ? 'limit' : 'market'}
        onChange={(type) => setIsLimit(type === 'limit')}
      />
      {isLimit ? (
        <Amount
          label="Limit price"
          note={`market ${price(coin.price, coin.tickSize)}`}
          unit={quote}
          value={typed.limit}
          onChange={(limit) => change({ limit })}
        />
      ) : null}
      <Amount
        label={side === 'buy' ? 'Spend' : 'Quantity'}
        note={`available ${availableText(coin, terms, side)}`}
        unit={side === 'buy' ? quote : base}
        value={amountText}
        field={amount}
        onChange={(next) => change({ [side]: next })}
      >
        <Shares
          disabled={side === 'buy' ? terms.available === null : !held}
          onChoose={(share) => change({ [side]: shareText({ coin, terms }, side, share) })}
        />
      </Amount>
      <Numbers {...{ profileId, coin, terms, side, estimate }} />
      <p className="care" role="status">
        {estimate.problem}
      </p>
      <ActionOutcome state={order} done="Order sent." />
      <button
        type="submit"
        className="btn go"
        disabled={why !== null || order.isWaiting || amountText.trim() === '' || (isLimit && typed.limit.trim() === '')}
      >
        {orderText({ coin, side, estimate })}
      </button>
      <p className="why">
        {why ?? 'The worker checks it like an automatic order. Rejected orders keep their values here.'}
      </p>
    </form>
  );
}

interface SharesProps {
  disabled: boolean;
  onChoose: (share: Decimal) => void;
}

function Shares({ disabled, onChoose }: SharesProps): ReactNode {
  return (
    <span className="seg small full" role="group" aria-label="Share of the available amount">
      {SHARES.map((share) => (
        <button
          key={share}
          type="button"
          disabled={disabled}
          onClick={() => onChoose(requireDecimal(String(share / 100)))}
        >
          {percent(share / 100, 0)}
        </button>
      ))}
    </span>
  );
}

interface OrderPlace {
  accountId: AccountId;
  profileId: ProfileId;
  symbol: string;
}

/** Sends an order. A retry after a lost answer has the same id and so no further effect; each new order has its own. */
function useOrder({ accountId, profileId, symbol }: OrderPlace) {
  const requestId = useRef(crypto.randomUUID());
  const act = useAction(accountId, ({ side, amount, limit }: TicketEntry) => {
    const size = side === 'buy' ? { quoteAmount: plain(amount) } : { quantity: plain(amount) };
    const type = limit === '' ? { type: 'market' as const } : { type: 'limit' as const, price: plain(limit) };
    const body = { order: { side, ...type, ...size }, requestId: requestId.current };
    return call(placeOrder, { params: { id: profileId, symbol }, body });
  });
  const renew = (): void => {
    requestId.current = crypto.randomUUID();
  };
  return {
    ...act,
    send(entry: TicketEntry): void {
      if (act.action !== undefined) renew();
      act.send(entry);
    },
    /** Forgets the outcome of the last order: the values changed. */
    reset(): void {
      renew();
      act.reset();
    },
  };
}

interface NumbersProps {
  profileId: ProfileId;
  coin: Coin;
  terms: OrderTerms;
  side: Side;
  estimate: Estimate;
}

/** Whether a limit or a stop of buying refuses a manual buy. */
function Limits({ profileId, symbol }: Pick<TicketProps, 'profileId'> & { symbol: string }): ReactNode {
  const { data } = useRead(readDashboard, {});
  const hit =
    data === undefined
      ? undefined
      : blockersOf(data, { profileId, symbol }).find(({ kind }) => LIMITING.includes(kind));
  return (
    <>
      <dt>Limits</dt>
      <dd className={hit === undefined ? '' : 'care'}>
        {data === undefined ? MISSING : hit === undefined ? 'all passed' : <Prose text={hit.sentence} />}
      </dd>
    </>
  );
}

const LIMITING: readonly string[] = ['buying-stopped', 'limit'];

function Numbers({ profileId, coin, terms: { takerFee, stop }, side, estimate }: NumbersProps): ReactNode {
  const { base, quote } = coinView(coin);
  const { quantity: size, value, fee, smallest, average, result } = estimate;
  const text = (amount: typeof fee): string =>
    amount === null ? MISSING : `${money(formatDecimal(amount), quote)} ${quote}`;
  const share = takerFee === null ? '' : `, ${percent(takerFee)}`;
  return (
    <dl className="dl">
      {side === 'buy' ? (
        <>
          <dt>Estimated quantity</dt>
          <dd>{size === null ? MISSING : `${quantity(formatDecimal(size), coin.stepSize)} ${base}`}</dd>
        </>
      ) : (
        <>
          <dt>Estimated proceeds</dt>
          <dd>{text(value)}</dd>
        </>
      )}
      <dt>Estimated fee{share}</dt>
      <dd>{text(takerFee === null ? null : fee)}</dd>
      {side === 'buy' ? (
        <>
          <dt>Smallest order</dt>
          <dd>{smallest === null ? MISSING : `${smallestText(smallest, quote)} ${quote}`}</dd>
          <dt>New average price</dt>
          <dd>{average === null ? MISSING : `${price(formatDecimal(average), coin.tickSize)} ${quote}`}</dd>
        </>
      ) : null}
      <dt>{side === 'buy' ? 'If the stop is hit' : 'Estimated P&L'}</dt>
      <dd>
        {result === null ? side === 'buy' && stop === null ? 'no stop' : MISSING : <Gain value={result} unit={quote} />}
      </dd>
      {side === 'buy' ? <Limits profileId={profileId} symbol={coin.symbol} /> : null}
    </dl>
  );
}

function availableText(coin: Coin, { available }: OrderTerms, side: Side): string {
  if (side === 'sell') return quantity(formatDecimal(sellable(coin)), coin.stepSize);
  return available === null ? MISSING : money(available, coin.quoteAsset);
}

/** The button names the order. */
function orderText({
  coin,
  side,
  estimate: { quantity: size, value },
}: Pick<NumbersProps, 'coin' | 'side' | 'estimate'>): string {
  const { base, quote } = coinView(coin);
  const verb = side === 'buy' ? 'Buy' : 'Sell';
  if (size === null || value === null) return `${verb} ${base}`;
  return `${verb} ${quantity(formatDecimal(size), coin.stepSize)} ${base} for ${money(formatDecimal(value), quote)} ${quote}`;
}
