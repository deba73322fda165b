import type { ReactNode } from 'react';
import { isObject } from '#core/merge.ts';
import type { LogRow } from '#web/data/answers.ts';
import { logMark } from './prose.ts';
import { Icon } from './icon.tsx';
import { Prose, When } from './when.tsx';
import { whole } from './numbers.ts';

interface FeedProps {
  rows: readonly LogRow[];
  /** Shows the numbers behind each row. */
  open?: boolean;
  /** Names the coin of each row. */
  named?: boolean;
}

/** By the last time of a row: a repeated row moves up. */
const newestFirst = (a: LogRow, b: LogRow): number => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0);

/** Log rows as sentences, newest first. */
export function Feed({ rows, open = false, named = false }: FeedProps): ReactNode {
  return (
    <ul className="feed">
      {rows.toSorted(newestFirst).map((row) => (
        <li key={row.id}>
          <When at={row.lastAt} />
          <span className={row.level === 'warn' || row.level === 'error' ? 'care' : ''}>
            <Icon name={logMark(row)} />
          </span>
          <div>
            {named && row.symbol !== null ? <b>{row.symbol} </b> : null}
            <Prose text={row.msg} /> {row.count > 1 ? <span className="two nb">×{whole(row.count)}</span> : null}
            {open ? <Context ctx={row.ctx} /> : null}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The complete context of a row. */
export function Context({ ctx }: { ctx: unknown }): ReactNode {
  if (!isObject(ctx) || Object.keys(ctx).length === 0) return null;
  return (
    <details>
      <summary>Context</summary>
      <pre>{JSON.stringify(ctx, null, 2)}</pre>
    </details>
  );
}
