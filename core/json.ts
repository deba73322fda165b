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
