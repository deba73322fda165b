import { add, divide, fromSteps, ONE, requireDecimal, toSteps } from '#core/amount/decimal.ts';
import { playTrade } from '#paper/exchange/matching.ts';
import { isStop } from '#paper/exchange/order.ts';
import { catchUp, commit, type Venue } from '#paper/exchange/venue.ts';

/** Smaller than one price step of any book, as a share of the price. */
const LITTLE = requireDecimal('0.000001');

/**
 * Thins the order books: orders can only take the best price of each, so a large order is filled in part and the rest
 * expires. Triggers the waiting stops. The returned function restores the depth.
 */
export function thinBooks(venue: Venue): () => void {
  const atMs = catchUp(venue);
  const restores = [...venue.markets.values()].map((market) => {
    const { rules } = market.listing;
    const { terms, quote } = market;
    const { range, reference } = terms;
    if (quote === undefined) return () => undefined;
    const stop = [...venue.engine.orders.open.values()].find(
      ({ symbol, side, type, working }) => symbol === rules.symbol && side === 'SELL' && isStop(type) && !working,
    );
    const ask = fromSteps(quote.ask, rules.price.tick);
    const bid = stop?.stopPrice ?? fromSteps(quote.bid, rules.price.tick);
    terms.reference = { kind: 'external', id: 1, price: bid, atMs };
    terms.range = { bidUp: add(divide(ask, bid), LITTLE), bidDown: null, askUp: null, askDown: ONE };
    if (stop !== undefined) {
      const ticks = Math.round(toSteps(bid, rules.price.tick));
      playTrade(venue.engine, rules.symbol, { atMs, ticks, lots: 1, takerBuys: false, injected: true });
      commit(venue, atMs);
    }
    return () => void Object.assign(terms, { range, reference });
  });
  return () => {
    for (const restore of restores) restore();
  };
}
