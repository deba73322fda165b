import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { readDashboard } from '#api/contract/records.ts';
import { exportAuditLogs, listAuditLogs } from '#api/contract/upkeep.ts';
import { addressOf } from '#web/data/call.ts';
import { useRead, useReadPages } from '#web/data/read.ts';
import { Context } from '#web/ui/feed.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { changeText } from './change-labels.ts';
import { Older, Read } from '#web/ui/read.tsx';

type Row = Answer<typeof listAuditLogs>['rows'][number];

/** The audit log: every change of the operator, with the values before and after. */
export function ChangesPage(): ReactNode {
  const log = useReadPages(listAuditLogs, (start) => ({ query: { limit: 50, ...start } }));
  const { data: known } = useRead(readDashboard, {});
  const names = new Map<string, string>(
    [...(known?.profiles ?? []), ...(known?.accounts ?? [])].map(({ id, name }) => [id, name]),
  );
  return (
    <>
      <title>Audit log · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/activity">Activity</Link>
        <span>Audit log</span>
      </nav>
      <div className="head">
        <h1 className="verdict">Audit log</h1>
        <p className="two">Every change of settings, accounts, keys and switches. Secrets are never logged.</p>
      </div>
      <Section
        title="Changes"
        note={
          <a href={addressOf(exportAuditLogs.path, undefined, { format: 'csv' })} download>
            Export CSV
          </a>
        }
      >
        <Read of={log} what="the audit log" rows={8}>
          {({ pages }) => <Changes rows={pages.flatMap(({ rows }) => rows)} names={names} />}
        </Read>
        <Older of={log} />
      </Section>
    </>
  );
}

function OneChange({ row, names }: { row: Row; names: ReadonlyMap<string, string> }): ReactNode {
  const { at, before, after, ip } = row;
  const { what, of } = changeText(row, names);
  return (
    <li>
      <When wall at={at} />
      <Icon name="dot" />
      <div>
        {what}
        {of === '' ? null : (
          <>
            : <b>{of}</b>
          </>
        )}
        {ip === 'unknown' ? null : <span className="note"> from {ip}</span>}
        <Context ctx={{ ...(before == null ? {} : { before }), ...(after == null ? {} : { after }) }} />
      </div>
    </li>
  );
}

function Changes({ rows, names }: { rows: readonly Row[]; names: ReadonlyMap<string, string> }): ReactNode {
  if (rows.length === 0) return <p className="p-2">No changes yet.</p>;
  return (
    <ul className="feed dated">
      {rows.map((row) => (
        <OneChange key={row.id} row={row} names={names} />
      ))}
    </ul>
  );
}
