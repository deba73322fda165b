import type { ReactNode } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import { exitCause } from '#core/decision/exit-cause.ts';
import type { LogRow } from '#web/data/answers.ts';
import { Context } from '#web/ui/feed.tsx';
import { Gain } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { type LogGroup, logGroups } from '#web/ui/log-groups.ts';
import { logMark } from '#web/ui/prose.ts';
import { age } from '#web/ui/time.ts';
import { Prose, When } from '#web/ui/when.tsx';
import { whole } from '#web/ui/numbers.ts';

/** Log rows of one line each, those of a trade under its result. Context is at the end of the line. */
export function LogList({ rows, named }: { rows: readonly LogRow[]; named: boolean }): ReactNode {
  return logGroups(rows).map((group) =>
    group.kind === 'row' ? (
      <ul key={group.row.id} className="feed lines">
        <Line row={group.row} named={named} />
      </ul>
    ) : (
      <Trade key={group.rows.at(-1)?.id} trade={group} />
    ),
  );
}

function Line({ row, named }: { row: LogRow; named: boolean }): ReactNode {
  return (
    <li>
      <When at={row.lastAt} />
      <span className={row.level === 'warn' || row.level === 'error' ? 'care' : ''}>
        <Icon name={logMark(row)} />
      </span>
      <span>
        {named && row.symbol !== null ? <b>{row.symbol} </b> : null}
        <Prose text={row.msg} /> {row.count > 1 ? <span className="two nb">×{whole(row.count)}</span> : null}
      </span>
      <Context ctx={row.ctx} />
    </li>
  );
}

function Trade({ trade }: { trade: Extract<LogGroup, { kind: 'trade' }> }): ReactNode {
  const { symbol, rows, net, reason, isWarned } = trade;
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (newest === undefined || oldest === undefined) return null;
  const result = net === null ? undefined : readDecimal(net);
  const held = age(Date.parse(newest.lastAt) - Date.parse(oldest.firstAt));
  return (
    <details className="trip" open={net === null || isWarned}>
      <summary>
        <When at={newest.lastAt} />
        <span className={isWarned ? 'care' : ''}>
          <Icon name={isWarned ? 'warn' : net === null ? 'flag' : 'dno'} />
        </span>
        <span>
          <b>{symbol}</b>{' '}
          {net === null
            ? 'Position open'
            : `${reason === null ? 'Closed' : upperFirst(exitCause(reason))} after ${held}`}
          <span className="note"> {rows.length} rows</span>
        </span>
        <span>{result === undefined ? null : <Gain value={result} />}</span>
      </summary>
      <ul className="feed lines">
        {rows.map((row) => (
          <Line key={row.id} row={row} named={false} />
        ))}
      </ul>
    </details>
  );
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
