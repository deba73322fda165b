import { isKlineInterval, type KlineInterval, readZone } from '#paper/market/frames.ts';

const WINDOW_MS = { '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 } as const;
/** The window lengths of the rolling tickers. */
type TickerWindow = keyof typeof WINDOW_MS;
export const windowMs = (window: TickerWindow): number => WINDOW_MS[window];

const PLAIN = ['trade', 'aggTrade', 'bookTicker', 'miniTicker', 'ticker', 'avgPrice', 'referencePrice'] as const;

/** A market stream of one coin. */
export type StreamName = { readonly symbol: string } & (
  | { readonly kind: (typeof PLAIN)[number] }
  | { readonly kind: 'window'; readonly window: TickerWindow }
  | { readonly kind: 'kline'; readonly interval: KlineInterval; readonly offsetMs: number }
  | { readonly kind: 'diff'; readonly everyMs: number }
  | { readonly kind: 'partial'; readonly levels: number; readonly everyMs: number }
);

/** Streams of all coins at once. */
export type ArrayName = { readonly kind: 'allMini' } | { readonly kind: 'allWindow'; readonly window: TickerWindow };

/** Parses names such as `btcusdt@kline_1m`; undefined for streams that this exchange does not have. */
export function readStreamName(text: string): StreamName | undefined {
  const at = text.indexOf('@');
  const [lower, rest] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (lower === '' || lower !== lower.toLowerCase()) return undefined;
  const symbol = lower.toUpperCase();
  const plain = PLAIN.find((kind) => kind === rest);
  if (plain !== undefined) return { kind: plain, symbol };
  if (rest.startsWith('kline_')) return readKline(symbol, rest.slice('kline_'.length));
  if (rest.startsWith('ticker_')) return readWindow(symbol, rest.slice('ticker_'.length));
  const [, levels, hurry] = /^depth(5|10|20)?(@100ms|@1000ms)?$/.exec(rest) ?? ['', '', 'none'];
  if (hurry === 'none') return undefined;
  const everyMs = hurry === '@100ms' ? 100 : 1000;
  return levels === undefined
    ? { kind: 'diff', symbol, everyMs }
    : { kind: 'partial', symbol, levels: Number(levels), everyMs };
}

function readKline(symbol: string, rest: string): StreamName | undefined {
  const [interval = '', zone] = rest.split('@');
  const offsetMs = zone === undefined ? 0 : readZone(zone);
  return isKlineInterval(interval) && offsetMs !== undefined
    ? { kind: 'kline', symbol, interval, offsetMs }
    : undefined;
}

const isWindow = (text: string): text is TickerWindow => Object.hasOwn(WINDOW_MS, text);

const readWindow = (symbol: string, window: string): StreamName | undefined =>
  isWindow(window) ? { kind: 'window', symbol, window } : undefined;

/** Parses `!miniTicker@arr` and `!ticker_1h@arr`. */
export function readArrayName(text: string): ArrayName | undefined {
  if (text === '!miniTicker@arr') return { kind: 'allMini' };
  const [, window = ''] = /^!ticker_(\w+)@arr$/.exec(text) ?? [];
  return isWindow(window) ? { kind: 'allWindow', window } : undefined;
}

/** Stream names in a connection's path and query: `/ws/<a>/<b>` or `/stream?streams=<a>/<b>`. */
export function namesInUrl(
  path: string,
  query: URLSearchParams,
): { readonly combined: boolean; readonly names: string[] } {
  const combined = path === '/stream' || path.startsWith('/stream/');
  const raw = combined ? (query.get('streams') ?? '') : decodeURIComponent(path.replace(/^\/ws\/?/, ''));
  return { combined, names: raw.split('/').filter((name) => name !== '') };
}
