import type { z } from 'zod';
import { group } from '#strategies/fields.ts';

/** No settings. A new strategy adds its own here. */
export const config = group({ title: 'Buy and hold', help: 'Nothing to set: this strategy only watches' }, {});
export type Config = z.output<typeof config>;
