import { readJson } from '#core/json.ts';

const MAY_HOLD_LARGE_INTEGER = /\d{16,}/;

/**
 * Parses JSON and returns integers beyond 2^53 as text, so that they stay exact; everything else is as usual. Undefined
 * when the text is not JSON.
 */
export const readExactJson = (text: string): unknown =>
  MAY_HOLD_LARGE_INTEGER.test(text) ? readJson(text, keepLargeIntegers) : readJson(text);

function keepLargeIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}
