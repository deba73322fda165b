import { everyPage } from '#storage/postgres/pages.ts';
import { pageLogs } from '#storage/history/logs.ts';
import { exportLogs, listActionLogs, listLogs } from '#api/contract/records.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import { exportRows, viewed } from '#api/views/export-rows.ts';
import type { Routes } from '#api/handle.ts';
import { logFilter } from '#api/views/log-query.ts';
import { logRowView } from '#api/views/views.ts';

const COLUMNS = ['id', 'symbol', 'level', 'msg', 'ctx', 'count', 'firstAt', 'lastAt'];

export function mountLogs({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listActionLogs, async ({ profile, query }) => {
    const filter = logFilter(profile.id, { level: 'warn,error' });
    const page = { limit: query.limit, cursor: readCursor(query.cursor) };
    return pageView(await pageLogs(kysely, filter, page), logRowView);
  });

  handle(listLogs, async ({ profile, query }) => {
    const { limit, cursor, ...filters } = query;
    const page = { limit, cursor: readCursor(cursor) };
    const filter = logFilter(profile.id, filters);
    const found = await pageLogs(kysely, filter, page);
    const isPart = filter.q !== undefined && found.next !== null;
    return { ...pageView(found, logRowView), searchedTo: isPart ? new Date(found.next.at) : null };
  });

  handle(exportLogs, async ({ profile: { id }, query, mask }) => {
    const { format, ...filters } = query;
    const filter = logFilter(id, filters);
    const pages = viewed(
      everyPage((page) => pageLogs(kysely, filter, page)),
      logRowView,
    );
    return exportRows({ pages, columns: COLUMNS, format, name: `logs-${id}`, mask });
  });
}
