import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Listing } from './source.ts';
import { ORDER_TYPES } from './order-types.ts';

/** Trading rules that differ between coins, as decimal text. */
interface RuleTexts {
  readonly tick: string;
  readonly maxPrice: string;
  readonly step: string;
  readonly maxQuantity: string;
  readonly maxMarketQuantity: string;
  readonly minNotional: string;
}

/**
 * One line for each coin: `tick, highest price, lot step, maximum of an order, maximum of a market order[, minimum
 * notional]`.
 */
function rules(line: string): RuleTexts {
  const [tick = '', maxPrice = '', step = '', maxQuantity = '', maxMarketQuantity = '', minNotional = '5'] =
    line.split(' ');
  return { tick, maxPrice, step, maxQuantity, maxMarketQuantity, minNotional };
}

/** Real trading rules of well-known coins. */
const WELL_KNOWN: Readonly<Record<string, RuleTexts>> = {
  BTCUSDT: rules('0.01 1000000 0.00001 9000 129.84957276'),
  ETHUSDT: rules('0.01 1000000 0.0001 9000 3125.75267907'),
  BNBUSDT: rules('0.1 100000 0.001 900000 4883.5223682'),
  LTCBTC: rules('0.000001 100000 0.001 100000 4147.64789121 0.0001'),
  ETHBTC: rules('0.00001 922327 0.0001 100000 2255.71583723 0.0001'),
  SOLUSDT: rules('0.01 10000 0.001 90000 64306.31937238'),
  XRPUSDT: rules('0.0001 10000 1 9222449 4886361.72803347'),
  ADAUSDT: rules('0.0001 1000 0.1 900000 1922825.07447698'),
  DOGEUSDT: rules('0.00001 1000 1 9000000 19499637.40167364 1'),
  LTCUSDT: rules('0.01 100000 0.001 90000 16571.04371129'),
  TRXUSDT: rules('0.0001 1000 0.1 9000000 6926732.66234309'),
  DOTUSDT: rules('0.001 10000 0.01 90000 133560.54163179'),
  LINKUSDT: rules('0.01 10000 0.01 90000 79751.87573221'),
  AVAXUSDT: rules('0.01 10000 0.01 90000 40749.41242677'),
  ATOMUSDT: rules('0.001 10000 0.01 90000 84879.08995815'),
  UNIUSDT: rules('0.001 10000 0.01 90000 58302.4153138'),
  NEARUSDT: rules('0.001 1000 0.1 900000 206314.98117154'),
  APTUSDT: rules('0.01 1000 0.01 92141578 98509.75037656'),
  ARBUSDT: rules('0.0001 1000 0.1 92141578 941413.86778242'),
  SUIUSDT: rules('0.0001 1000 0.1 92141578 1688552.32301255'),
  FILUSDT: rules('0.001 10000 0.01 9222449 158566.70175732'),
  AAVEUSDT: rules('0.01 100000 0.001 900000 4754.51539748'),
  XLMUSDT: rules('0.0001 1000 1 9000000 3502136.22594142'),
  ETCUSDT: rules('0.01 10000 0.01 90000 21033.83912133'),
  BCHUSDT: rules('0.1 100000 0.001 90000 1700.607'),
};

/** Coins with a maximum of base asset, held and on order, for each account. */
const MAX_POSITIONS: Readonly<Record<string, string>> = { AAVEUSDT: '100000' };
/** Coins that still have the older filters of price and notional value. */
const OLDER = ['ETCUSDT'];
const QUOTES = ['USDT', 'USDC', 'FDUSD', 'BUSD', 'TUSD', 'DAI', 'BTC', 'ETH', 'BNB', 'EUR', 'GBP', 'TRY', 'BRL', 'JPY'];
const BITCOIN_LIKE_NOTIONAL: Readonly<Record<string, string>> = { BTC: '0.0001', ETH: '0.001', BNB: '0.01' };

/** Splits `BTCUSDT` at its quote asset; undefined if it ends with no known quote asset. */
export function readAssets(symbol: string): { base: string; quote: string } | undefined {
  const quote = QUOTES.find((asset) => symbol.endsWith(asset) && symbol.length > asset.length);
  return quote === undefined ? undefined : { base: symbol.slice(0, -quote.length), quote };
}

/**
 * The listing of a coin. Well-known coins get their real rules. `seen` refines the price grid if recorded prices are
 * finer than today's tick. For other coins it derives the rules from price and decimals.
 */
export function listingOf(
  symbol: string,
  intervalMs: number,
  seen?: { readonly priceDecimals: number; readonly price: number },
): Listing {
  const assets = readAssets(symbol);
  if (assets === undefined) throw new RangeError(`"${symbol}" does not end in a known quote asset such as USDT or BTC`);
  const texts = WELL_KNOWN[symbol] ?? derivedRules(seen?.price ?? 1, assets.quote);
  const tick = seen === undefined ? texts.tick : finerTick(texts.tick, seen.priceDecimals);
  const maxPosition = MAX_POSITIONS[symbol];
  return {
    rules: rulesOf(symbol, assets, { ...texts, tick }),
    ...(maxPosition === undefined ? {} : { maxPosition: requireDecimal(maxPosition) }),
    isOlder: OLDER.includes(symbol),
    intervalMs,
    grid: { tickUnits: Math.round(Number(tick) * 1e8), stepUnits: Math.round(Number(texts.step) * 1e8) },
  };
}

function finerTick(tick: string, decimals: number): string {
  const seen = decimals <= 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`;
  return Number(seen) < Number(tick) ? seen : tick;
}

/** Rules like those of real listings: a tick of about 0.01 % of the price, a lot worth about 0.10 US dollars. */
function derivedRules(price: number, quote: string): RuleTexts {
  const power = Math.floor(Math.log10(price));
  const worth = quote === 'BTC' ? 1e-6 : quote === 'ETH' ? 3e-5 : 0.1;
  const tick = decimalPower(Math.min(0, power - 4));
  const step = decimalPower(Math.min(0, Math.floor(Math.log10(worth / price))));
  return {
    tick,
    maxPrice: String(10 ** Math.max(3, power + 4)),
    step,
    maxQuantity: '90000000',
    maxMarketQuantity: '9000000',
    minNotional: BITCOIN_LIKE_NOTIONAL[quote] ?? '5',
  };
}

const decimalPower = (power: number): string => (power >= 0 ? '1' : `0.${'1'.padStart(Math.min(8, -power), '0')}`);

function rulesOf(symbol: string, assets: { base: string; quote: string }, texts: RuleTexts): SymbolRules {
  const tick = requireDecimal(texts.tick);
  const step = requireDecimal(texts.step);
  return {
    symbol,
    status: 'TRADING',
    baseAsset: assets.base,
    quoteAsset: assets.quote,
    orderTypes: ORDER_TYPES,
    price: { tick, min: tick, max: requireDecimal(texts.maxPrice) },
    lot: { step, min: step, max: requireDecimal(texts.maxQuantity) },
    marketLot: { step: ZERO, min: ZERO, max: requireDecimal(texts.maxMarketQuantity) },
    notional: { min: requireDecimal(texts.minNotional), max: requireDecimal('9000000'), minAppliesToMarket: true },
    band: {
      bidUp: requireDecimal('5'),
      bidDown: requireDecimal('0.2'),
      askUp: requireDecimal('5'),
      askDown: requireDecimal('0.2'),
    },
  };
}
