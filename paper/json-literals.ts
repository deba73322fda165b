/**
 * The members of a flat JSON object with their values as text: strings unquoted, numbers in the client's own literal
 * (`0.00100` stays so). WebSocket API signatures cover these texts. Nested values keep their JSON.
 */
export function readLiterals(text: string, member: string): Map<string, string> | undefined {
  const sources = new Map<object, Map<string, string>>();
  const parsed: unknown = parseWithSource(text, ({ holder, key, source }) => {
    if (source === undefined || Array.isArray(holder)) return;
    const known = sources.get(holder) ?? new Map<string, string>();
    sources.set(holder, known.set(key, source));
  });
  if (!isRecord(parsed)) return undefined;
  const object = parsed[member];
  if (object === undefined || object === null) return new Map();
  if (!isRecord(object)) return undefined;
  return new Map(
    Object.entries(object).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      return [name, sources.get(object)?.get(name) ?? JSON.stringify(value)];
    }),
  );
}

/** A primitive value and its source text. */
interface Primitive {
  readonly holder: object;
  readonly key: string;
  readonly source: string | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON.parse with the source text of primitive values. The type declarations do not have this overload yet. */
function parseWithSource(text: string, see: (seen: Primitive) => void): unknown {
  const revive = function (
    this: object,
    ...[key, value, context]: [string, unknown, { readonly source?: string }?]
  ): unknown {
    see({ holder: this, key, source: context?.source });
    return value;
  };
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

/** Undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
