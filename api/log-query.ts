import { z } from 'zod';
import type { ProfileId } from '#core/ids.ts';
import type { LogLevel } from '#core/ports.ts';
import type { LogCursor, LogFilter } from '#storage/logs.ts';
import { invalidField } from './problem.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies LogLevel[];
const isLevel = (text: string): text is LogLevel => LEVELS.some((level) => level === text);

interface Filters {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly level?: string | undefined;
  readonly symbol?: string | undefined;
  readonly q?: string | undefined;
}

function levelsOf(text: string | undefined): LogLevel[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !isLevel(name));
  if (wrong !== undefined) throw invalidField('level', `holds "${wrong}", but lists ${LEVELS.join(', ')}`);
  return names.filter(isLevel);
}

export const logFilter = (profileId: ProfileId, { from, to, level, symbol, q }: Filters): LogFilter => ({
  profileIds: [profileId],
  levels: levelsOf(level),
  from,
  to,
  symbol,
  q: q === '' ? undefined : q,
});

const place = z.tuple([z.string().regex(/^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/), z.uuid()]);

export const cursorText = (cursor: LogCursor): string =>
  Buffer.from(JSON.stringify([cursor.firstAt, cursor.id])).toString('base64url');

/** The place a page ended, as its cursor tells it. */
export function readCursor(text: string | undefined): LogCursor | undefined {
  if (text === undefined) return undefined;
  try {
    const [firstAt, id] = place.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { firstAt, id };
  } catch {
    throw invalidField('cursor', 'is not one that an earlier page has given');
  }
}
