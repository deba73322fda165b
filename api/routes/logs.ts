import { everyPage } from '#storage/postgres/pages.ts';
import { pageLogs } from '#storage/history/logs.ts';
import { exportLogs, listActionLogs, listLogs } from '#api/contract/records.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import { exportRows, viewed } from '#api/views/export-rows.ts';
import type { Routes } from '#api/handle.ts';
import { logFilter } from '#api/views/log-query.ts';
import { requireProfile } from '#api/require.ts';
import { logRowView } from '#api/views/views.ts';

const COLUMNS = ['id', 'symbol', 'level', 'msg', 'ctx', 'count', 'firstAt', 'lastAt'];

export function mountLogs({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listActionLogs, async ({ operator, params, query }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const filter = logFilter(id, { level: 'warn,error' });
    const page = { limit: query.limit, cursor: readCursor(query.cursor) };
    return pageView(await pageLogs(kysely, filter, page), logRowView);
  });

  handle(listLogs, async ({ operator, params, query }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const { limit, cursor, ...filters } = query;
    const page = { limit, cursor: readCursor(cursor) };
    return pageView(await pageLogs(kysely, logFilter(id, filters), page), logRowView);
  });

  handle(exportLogs, async ({ operator, params, query, mask }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const { format, ...filters } = query;
    const filter = logFilter(id, filters);
    const pages = viewed(
      everyPage((page) => pageLogs(kysely, filter, page)),
      logRowView,
    );
    return exportRows({ pages, columns: COLUMNS, format, name: `logs-${id}`, mask });
  });
}
