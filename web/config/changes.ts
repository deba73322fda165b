import type { Changes } from '#core/config-path.ts';
import { readJson } from '#core/json.ts';

/** Changes that an address proposes, as pairs of path and value in JSON. */
export function changesOf(text: string | undefined): Changes {
  const pairs = text === undefined ? undefined : readJson(text);
  if (!Array.isArray(pairs)) return [];
  return pairs.flatMap((pair: unknown) => {
    if (!Array.isArray(pair)) return [];
    const path: unknown = pair[0];
    const value: unknown = pair[1];
    return typeof path === 'string' ? [{ path, value }] : [];
  });
}
