import { venueOf } from '#core/account/account.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import { EnvironmentError } from '#core/installation/env.ts';
import type { AccountId } from '#core/ids.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { accountId } from '#api/contract/fields.ts';
import { listDayTickers, listTickers } from '#api/contract/market.ts';
import { listCandles, listSymbols } from '#api/contract/records.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireAccount, venueName } from '#api/require.ts';

/** Answers 502 when the exchange does not answer. */
async function fromExchange<Value>(load: Promise<Value>, what: string, where: string): Promise<Value> {
  try {
    return await load;
  } catch (error) {
    if (!(error instanceof ExchangeError || error instanceof EnvironmentError)) throw error;
    throw new ApiProblem('exchange_unavailable', `${what} cannot be read from ${where}: ${error.message}`);
  }
}

/** Answers 422 when the exchange does not list the coin. */
export async function candlesFrom<Value>(load: Promise<Value>, where: string, symbol: string): Promise<Value> {
  const known = load.catch((error: unknown) => {
    if (!(error instanceof ExchangeError) || error.reason !== 'bad-symbol') throw error;
    throw new ApiProblem('validation_failed', `${symbol} is not listed on ${where}.`, {
      errors: [{ path: 'symbol', message: `is not listed on ${where}` }],
    });
  });
  return fromExchange(known, `Candles of ${symbol}`, where);
}

function requireAccountId(text: string): AccountId {
  const parsed = accountId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ApiProblem('not_found', `There is no account "${text.slice(0, 100)}".`);
}

export function mountMarket({ context, handle }: Routes): void {
  const { database, venues } = context;
  handle(listCandles, async ({ readAccount, query }) => {
    const account = await readAccount();
    const { symbol, interval, limit, before } = query;
    const wanted = { symbol, interval, limit, ...(before === undefined ? {} : { beforeMs: Date.parse(before) }) };
    const candles = await candlesFrom(venues.candles(venueOf(account), wanted), venueName(account), symbol);
    return {
      candles: candles.map(({ openMs, open, high, low, close, volume, closed }) => ({
        openMs,
        open,
        high,
        low,
        close,
        volume,
        closed,
      })),
    };
  });

  handle(listSymbols, async ({ operator, query }) => {
    const account = await requireAccount(database.kysely, operator, requireAccountId(query.accountId));
    const venue = venueOf(account);
    const rules = (await venues.rules(venue)) ?? new Map<string, never>();
    const prices = await venues.prices(venue);
    const symbols = [...rules.values()].map((rule) => {
      const price = prices.get(rule.symbol);
      return {
        symbol: rule.symbol,
        baseAsset: rule.baseAsset,
        quoteAsset: rule.quoteAsset,
        status: rule.status,
        minNotional: formatDecimal(rule.notional.min),
        tickSize: formatDecimal(rule.price.tick),
        stepSize: formatDecimal(rule.lot.step),
        price: price === undefined ? null : formatDecimal(price.price),
      };
    });
    return { symbols: symbols.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1)) };
  });

  handle(listDayTickers, async ({ account }) => {
    const days = await fromExchange(venues.dayTickers(venueOf(account)), 'The last 24 hours', venueName(account));
    return {
      tickers: days.map(({ symbol, last, changePercent, quoteVolume, bid, ask }) => ({
        ...{ symbol, last, change: changePercent / 100, volume: quoteVolume },
        spread: bid > 0 && ask > 0 ? (2 * (ask - bid)) / (ask + bid) : null,
      })),
    };
  });

  handle(listTickers, async ({ account, query }) => {
    const prices = [...(await venues.prices(venueOf(account)))];
    const wanted = query.symbols?.split(',');
    const tickers = prices
      .filter(([symbol]) => wanted?.includes(symbol) ?? true)
      .map(([symbol, { price, at }]) => ({ symbol, price: formatDecimal(price), at }));
    return { tickers: tickers.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1)) };
  });
}
