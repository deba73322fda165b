import type { z } from 'zod';
import { isObject } from '#core/merge.ts';
import { group } from '#strategies/fields.ts';

/** No settings. A new strategy adds its own here. */
export const config = group({ title: 'Buy and hold', help: 'Nothing to set: this strategy only watches' }, {});
export type Config = z.output<typeof config>;

export function readStoredConfig(stored: unknown) {
  const readable = stored === undefined || stored === null || isObject(stored);
  return readable ? { config: {}, readable } : { config: {}, readable, unreadablePath: 'config' };
}
