import { type Decimal, readDecimal } from '#core/amount/decimal.ts';
import { deny, malformed, missing, notValid, RefusedError, refuse } from '#paper/exchange/refusal.ts';
import { SYMBOL_PATTERN, SYMBOL_RANGE } from './symbol-name.ts';

/** The parameters of one request, and the names that the handler has read. */
export interface Params {
  readonly values: ReadonlyMap<string, string>;
  readonly read: Set<string>;
}

const NUMBER_RANGE = '^([0-9]{1,20})(\\.[0-9]{1,20})?$';
const NUMBER = new RegExp(NUMBER_RANGE);
const INTEGER_RANGE = '^[0-9]{1,20}$';
const INTEGER = new RegExp(INTEGER_RANGE);
const SYMBOL = new RegExp(`^${SYMBOL_PATTERN}$`, 'v');
const CLIENT_ID_RANGE = '^[\\.A-Z\\:/a-z0-9_-]{1,36}$';
const CLIENT_ID = new RegExp(CLIENT_ID_RANGE);
const ASSET_DECIMALS = 8;
const MOST_INTEGER = 2n ** 63n - 1n;

export const openParams = (values: ReadonlyMap<string, string>): Params => ({ values, read: new Set() });

/** Parses raw query and body text. If both hold a name the query wins. A name twice in one of them is refused. */
export function parseParams(rawQuery: string, rawBody: string): Params {
  return openParams(new Map([...parsePairs(rawBody), ...parsePairs(rawQuery)]));
}

function parsePairs(raw: string): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of raw.split('&').filter((text) => text !== '')) {
    const at = pair.indexOf('=');
    const name = decodePart(at < 0 ? pair : pair.slice(0, at));
    if (pairs.has(name)) deny(-1101, 'Duplicate values for a parameter detected.');
    pairs.set(name, at < 0 ? '' : decodePart(pair.slice(at + 1)));
  }
  return pairs;
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return deny(-1100, 'Illegal characters found in a parameter.');
  }
}

/** Refuses a request with parameters that no handler has read. */
export function finishParams(params: Params): void {
  const read = [...params.values.keys()].filter((name) => params.read.has(name)).length;
  if (read === params.values.size) return;
  deny(-1104, `Not all sent parameters were read; read '${read}' parameter(s) but was sent '${params.values.size}'.`);
}

/** The text of a parameter; undefined if it was not sent. An empty parameter is refused. */
export function readText(params: Params, name: string): string | undefined {
  params.read.add(name);
  const value = params.values.get(name);
  return value === '' ? deny(-1105, `Parameter '${name}' was empty.`) : value;
}

export function requireText(params: Params, name: string): string {
  params.read.add(name);
  const value = params.values.get(name);
  if (value === undefined || value === '') throw new RefusedError(missing(name));
  return value;
}

/** A non-negative whole number. */
export function readInteger(params: Params, name: string): number | undefined {
  const text = readText(params, name);
  if (text === undefined) return undefined;
  if (!INTEGER.test(text)) throw new RefusedError(malformed(name, INTEGER_RANGE));
  if (BigInt(text) > MOST_INTEGER) deny(-1108, `Parameter '${name}' overflowed.`);
  return Number(text);
}

/** A positive limit, `fallback` when absent, never above `max`. */
export function readLimit(params: Params, fallback: number, max: number): number {
  const limit = readInteger(params, 'limit') ?? fallback;
  if (limit < 1) throw new RefusedError(notValid('limit'));
  return Math.min(limit, max);
}

/** Exact decimal text with at most 8 decimals; exponents, signs and commas are refused. */
export function readAmount(params: Params, name: string): Decimal | undefined {
  const text = readText(params, name);
  if (text === undefined) return undefined;
  if (!NUMBER.test(text)) throw new RefusedError(malformed(name, NUMBER_RANGE));
  const decimals = text.split('.')[1]?.length ?? 0;
  const value = decimals > ASSET_DECIMALS ? undefined : readDecimal(text);
  if (value === undefined) throw new RefusedError(refuse(-1111, `Parameter '${name}' has too much precision.`));
  return value;
}

export function readSymbol(params: Params): string | undefined {
  const symbol = readText(params, 'symbol');
  if (symbol !== undefined && !SYMBOL.test(symbol)) throw new RefusedError(malformed('symbol', `^${SYMBOL_RANGE}$`));
  return symbol;
}

export function requireSymbol(params: Params): string {
  requireText(params, 'symbol');
  return readSymbol(params) ?? '';
}

export function readClientId(params: Params, name: string): string | undefined {
  const id = readText(params, name);
  if (id !== undefined && !CLIENT_ID.test(id)) throw new RefusedError(malformed(name, CLIENT_ID_RANGE));
  return id;
}

/** A word of a closed list. Anything else is refused with `code` and `message`. */
export function readWord<Word extends string>(
  params: Params,
  name: string,
  list: { readonly words: readonly Word[]; readonly code: number; readonly message: string },
): Word | undefined {
  const text = readText(params, name);
  const word = list.words.find((candidate) => candidate === text);
  if (text !== undefined && word === undefined) deny(list.code, list.message);
  return word;
}

/** A time in ms; 16 digits are microseconds. */
export function readTime(params: Params, name: string): number | undefined {
  const time = readInteger(params, name);
  return time !== undefined && time >= 1e15 ? Math.floor(time / 1000) : time;
}
