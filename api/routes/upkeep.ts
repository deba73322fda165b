import { RETENTION } from '#core/installation/settings.ts';
import { type AuditView, pageAuditLogs } from '#storage/operator/audit-logs.ts';
import { everyPage } from '#storage/postgres/pages.ts';
import { listPruneReceipts } from '#storage/history/prune.ts';
import { patchSetting, readSetting } from '#storage/postgres/service-settings.ts';
import { changeRetention, exportAuditLogs, listAuditLogs, readRetention } from '#api/contract/upkeep.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import { exportRows, viewed } from '#api/views/export-rows.ts';
import { type Mask, maskRecord } from '#api/guard/visitor-mask.ts';
import type { Routes } from '#api/handle.ts';

const COLUMNS = ['id', 'at', 'action', 'subject', 'before', 'after', 'ip', 'userAgent', 'actor'];
const RECEIPTS_SHOWN = 20;
const auditView = (mask: Mask) => (row: AuditView) => {
  const { at, before, after, ...shown } = maskRecord(row, mask);
  return { ...shown, at, before, after };
};

function auditFilter<Filters extends { readonly action?: string | undefined }>({ action, ...filters }: Filters) {
  return { ...filters, actions: action?.split(',').map((name) => name.trim()) };
}

export function mountUpkeep({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listAuditLogs, async ({ query, mask }) => {
    const { limit, cursor, ...filters } = query;
    const page = { limit, cursor: readCursor(cursor) };
    return pageView(await pageAuditLogs(kysely, auditFilter(filters), page), auditView(mask));
  });

  handle(exportAuditLogs, async ({ query, mask }) => {
    const { format, ...filters } = query;
    const filter = auditFilter(filters);
    const pages = viewed(
      everyPage((page) => pageAuditLogs(kysely, filter, page)),
      auditView(mask),
    );
    return exportRows({ pages, columns: COLUMNS, format, name: 'audit-logs', mask });
  });

  const view = async () => ({
    ...(await readSetting(kysely, RETENTION)),
    receipts: await listPruneReceipts(kysely, RECEIPTS_SHOWN),
  });
  handle(readRetention, view);
  handle(changeRetention, async ({ commit, body }) => {
    await commit(async ({ transaction }) => ({
      answer: undefined,
      ...(await patchSetting(transaction, RETENTION, body)),
    }));
    return view();
  });
}
