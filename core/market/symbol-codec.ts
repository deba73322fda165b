import { z } from 'zod';
import { formatDecimal, readDecimal } from '#core/amount/decimal.ts';
import { readJson } from '#core/json.ts';
import { SYMBOL_STATUSES, type SymbolRules } from './symbol.ts';

const decimal = z.string().transform((text, context) => {
  const value = readDecimal(text);
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: `"${text}" is not a decimal number` });
  return z.NEVER;
});
const range = z.object({ step: decimal, min: decimal, max: decimal });

const rules = z.object({
  symbol: z.string(),
  status: z.enum(SYMBOL_STATUSES),
  problem: z.string().exactOptional(),
  baseAsset: z.string(),
  quoteAsset: z.string(),
  orderTypes: z.array(z.string()),
  price: z.object({ tick: decimal, min: decimal, max: decimal }),
  lot: range,
  marketLot: range,
  notional: z.object({ min: decimal, max: decimal, minAppliesToMarket: z.boolean() }),
  band: z.object({ bidUp: decimal, bidDown: decimal, askUp: decimal, askDown: decimal }).nullable(),
  trailing: z.object({ min: z.number(), max: z.number() }).exactOptional(),
  lists: z.boolean().exactOptional(),
});

/** Trading rules as JSON for the cache store: decimals become text; the long list of permissions is omitted. */
export const encodeRules = (list: readonly SymbolRules[]): string =>
  JSON.stringify(list, (key, value: unknown) => {
    if (key === 'permissionSets') return undefined;
    return typeof value === 'bigint' ? formatDecimalOf(value) : value;
  });

const formatDecimalOf = (value: bigint): string => formatDecimal(value as Parameters<typeof formatDecimal>[0]);

/** Reverses `encodeRules`; undefined when the text is not a list of trading rules. */
export function readRules(text: string): SymbolRules[] | undefined {
  const parsed = z.array(rules).safeParse(readJson(text));
  return parsed.success ? parsed.data : undefined;
}

/** Rules of one coin in the cache store, or the problem with them. */
export type SymbolInfo = SymbolRules | 'absent' | 'malformed';

/** Looks up coins one by one, so that an invalid entry does not hide the others. */
export function readSymbolInfos(text: string | undefined): (symbol: string) => SymbolInfo {
  if (text === undefined) return () => 'absent';
  const list = z.array(z.looseObject({ symbol: z.string() })).safeParse(readJson(text));
  if (!list.success) return () => 'malformed';
  const bySymbol = new Map(list.data.map((entry) => [entry.symbol, entry]));
  return (symbol) => {
    const entry = bySymbol.get(symbol);
    if (entry === undefined) return 'absent';
    const parsed = rules.safeParse(entry);
    return parsed.success && parsed.data.lot.step > 0n ? parsed.data : 'malformed';
  };
}
