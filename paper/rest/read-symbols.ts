import { type SymbolMarket, statusOf } from '#paper/market/symbol-market.ts';
import { finishParams, type Params, readSymbol, readText, readWord } from './params.ts';
import { deny, RefusedError, unknownSymbol } from '#paper/exchange/refusal.ts';
import { marketNow, type Venue } from '#paper/exchange/venue.ts';
import { SYMBOL_PATTERN, SYMBOL_RANGE } from './symbol-name.ts';

const listOf = (symbol: string): string => `^\\[("${symbol}"(,"${symbol}"){0,}){0,1}\\]$`;
const LIST_RANGE = listOf(SYMBOL_RANGE);
const LIST = new RegExp(listOf(SYMBOL_PATTERN), 'v');
const STATUSES = ['TRADING', 'HALT', 'BREAK'] as const;

/** The coins of a request. `one` if they came through `symbol`. */
interface NamedSymbols {
  readonly one: boolean;
  readonly symbols: readonly string[];
}

export function requireMarket(venue: Venue, symbol: string): SymbolMarket {
  const market = marketNow(venue, symbol);
  if (market === undefined) throw new RefusedError(unknownSymbol());
  return market;
}

/** The coins of a request, through `symbol` or `symbols`; undefined if it has neither. */
export function readSymbols(params: Params, most = Infinity): NamedSymbols | undefined {
  const symbol = readSymbol(params);
  const list = readText(params, 'symbols');
  if (symbol !== undefined && list !== undefined) deny(-1128, 'Combination of optional parameters invalid.');
  if (symbol !== undefined) return { one: true, symbols: [symbol] };
  if (list === undefined) return undefined;
  if (!LIST.test(list)) deny(-1100, `Illegal characters found in parameter 'symbols'; legal range is '${LIST_RANGE}'.`);
  const symbols = list === '[]' ? [] : list.slice(2, -2).split('","');
  if (symbols.length > most)
    deny(-1101, `Too many values sent for parameter 'symbols', maximum allowed up to ${most}.`);
  if (new Set(symbols).size !== symbols.length) deny(-1151, 'Symbol is present multiple times in the list.');
  return { one: false, symbols };
}

export const readStatus = (params: Params): string | undefined =>
  readWord(params, 'symbolStatus', { words: STATUSES, code: -1122, message: 'Invalid symbolStatus.' });

/** Refuses a coin that does not have the requested status. */
export function requireStatus(market: SymbolMarket, status: string | undefined): void {
  if (status === undefined || statusOf(market) === status) return;
  deny(-1220, "The symbol's status does not match the requested symbolStatus.");
}

/** One object for `symbol`, a list for `symbols` or for neither. Lists leave out coins with another status. */
export function answerPerSymbol(
  venue: Venue,
  params: Params,
  ask: { readonly most?: number; readonly answer: (market: SymbolMarket) => unknown },
): unknown {
  const wanted = readSymbols(params, ask.most);
  const status = readStatus(params);
  finishParams(params);
  const markets = (wanted?.symbols ?? [...venue.markets.keys()]).map((symbol) => requireMarket(venue, symbol));
  const [only] = markets;
  if (wanted?.one !== true || only === undefined)
    return markets.filter((one) => status === undefined || statusOf(one) === status).map(ask.answer);
  requireStatus(only, status);
  return ask.answer(only);
}
