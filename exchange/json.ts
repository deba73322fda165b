const MAY_HOLD_LARGE_INTEGER = /\d{16,}/;

/**
 * JSON.parse that keeps integers beyond 2^53 exact by giving them as text; everything else is as usual.
 * Throws SyntaxError on text that is not JSON.
 */
export function parseJson(text: string): unknown {
  return MAY_HOLD_LARGE_INTEGER.test(text) ? JSON.parse(text, keepLargeIntegers) : JSON.parse(text);
}

function keepLargeIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}
