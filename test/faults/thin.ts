import { add, divide, fromSteps, ONE, requireDecimal, toSteps } from '#core/amount/decimal.ts';
import { playTrade } from '#paper/exchange/matching.ts';
import { isStop } from '#paper/exchange/order.ts';
import { catchUp, commit, type Venue } from '#paper/exchange/venue.ts';

/** Less than the distance between two prices of a book. */
const LITTLE = requireDecimal('0.000001');

/**
 * From here on only the best price of each book can be taken, so that a large order is filled in part and the rest of it
 * expires; the stops that wait are struck. What it returns makes the books deep again.
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
