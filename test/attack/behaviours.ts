import { CHANGES } from './changes.ts';
import { CONNECTIONS } from './connections.ts';
import { FORGERIES } from './forgeries.ts';
import { READS } from './reads.ts';
import type { Visitor } from './visitor.ts';

/** One way to harm a demo; a round of it, which is repeated until the time is over. */
export type Behaviours = Readonly<Record<string, (visitor: Visitor) => Promise<unknown>>>;

export const BEHAVIOURS: Behaviours = { ...READS, ...CHANGES, ...FORGERIES, ...CONNECTIONS };
