/** Reviver of JSON.parse; `source` is the text of a primitive value. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** The value of a JSON text, after `revive` when given; undefined when the text is not JSON. */
export function readJson(text: string, revive?: Reviver): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

/** JSON text that does not depend on the order of the keys. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
