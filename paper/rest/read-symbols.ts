import { type SymbolMarket, statusOf } from '#paper/market/symbol-market.ts';
import { finishParams, type Params, readSymbol, readText, readWord } from './params.ts';
import { deny, RefusedError, unknownSymbol } from '#paper/exchange/refusal.ts';
import { marketNow, type Venue } from '#paper/exchange/venue.ts';
import { SYMBOL_PATTERN, SYMBOL_RANGE } from './symbol-name.ts';

const listOf = (symbol: string): string => `^\\[("${symbol}"(,"${symbol}"){0,}){0,1}\\]$`;
const LIST_RANGE = listOf(SYMBOL_RANGE);
const LIST = new RegExp(listOf(SYMBOL_PATTERN), 'v');
const STATUSES = ['TRADING', 'HALT', 'BREAK'] as const;

/** The coins of a request. `isSingle` if they came through `symbol`. */
interface SymbolSelection {
  readonly isSingle: boolean;
  readonly symbols: readonly string[];
}

export function requireMarket(venue: Venue, symbol: string): SymbolMarket {
  const market = marketNow(venue, symbol);
  if (market === undefined) throw new RefusedError(unknownSymbol());
  return market;
}

/** The coins of a request, through `symbol` or `symbols`; undefined if it has neither. */
export function readSymbols(params: Params, most = Infinity): SymbolSelection | undefined {
  const symbol = readSymbol(params);
  const list = readText(params, 'symbols');
  if (symbol !== undefined && list !== undefined) deny(-1128, 'Combination of optional parameters invalid.');
  if (symbol !== undefined) return { isSingle: true, symbols: [symbol] };
  if (list === undefined) return undefined;
  if (!LIST.test(list)) deny(-1100, `Illegal characters found in parameter 'symbols'; legal range is '${LIST_RANGE}'.`);
  const symbols = list === '[]' ? [] : list.slice(2, -2).split('","');
  if (symbols.length > most)
    deny(-1101, `Too many values sent for parameter 'symbols', maximum allowed up to ${most}.`);
  if (new Set(symbols).size !== symbols.length) deny(-1151, 'Symbol is present multiple times in the list.');
  return { isSingle: false, symbols };
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
  options: { readonly most?: number; readonly answer: (market: SymbolMarket) => unknown },
): unknown {
  const selection = readSymbols(params, options.most);
  const status = readStatus(params);
  finishParams(params);
  const markets = (selection?.symbols ?? [...venue.markets.keys()]).map((symbol) => requireMarket(venue, symbol));
  const [only] = markets;
  if (selection?.isSingle !== true || only === undefined)
    return markets.filter((market) => status === undefined || statusOf(market) === status).map(options.answer);
  requireStatus(only, status);
  return options.answer(only);
}
