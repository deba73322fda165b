/** Keys that reach the prototype of an object. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_DEPTH = 16;

/** True for a JSON object: not null, not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * JSON merge patch (RFC 7396): objects merge, arrays and scalars are replaced, null removes. A patch that is not an object
 * is ignored. Keys that reach a prototype are skipped. Inputs are never changed.
 */
export function mergePatch(base: unknown, patch: unknown, depth = 0): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  const put = (key: string, value: unknown): void => {
    Object.defineProperty(merged, key, { value, enumerable: true, writable: true, configurable: true });
  };
  if (isObject(base)) for (const key of Object.keys(base)) if (!FORBIDDEN_KEYS.has(key)) put(key, base[key]);
  if (!isObject(patch) || depth >= MAX_DEPTH) return merged;
  for (const key of Object.keys(patch)) {
    if (FORBIDDEN_KEYS.has(key)) continue;
    const value = patch[key];
    if (value === null) delete merged[key];
    else put(key, isObject(value) ? mergePatch(merged[key], value, depth + 1) : value);
  }
  return merged;
}
