import type { ProfileId } from '#core/ids.ts';
import type { LogLevel } from '#core/ports/records.ts';
import type { LogFilter } from '#storage/history/logs.ts';
import { invalidField } from '#api/frame/problem.ts';

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
