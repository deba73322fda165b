/** Characters that JSON.stringify writes and PostgreSQL's jsonb refuses: NUL and unpaired surrogates. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storableValue(inner)]));
}

/** JSON text for a jsonb column; `undefined` becomes null, characters that jsonb refuses become U+FFFD. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return UNSTORABLE.test(text) ? JSON.stringify(storableValue(JSON.parse(text))) : text;
}
