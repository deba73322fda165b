import { everyLog, type LogPage, type LogView, pageLogs } from '#storage/logs.ts';
import { exportLogs, listActionLogs, listLogs } from '../contract/records.ts';
import { csvLine } from '../csv.ts';
import type { Routes } from '../handle.ts';
import { cursorText, logFilter, readCursor } from '../log-query.ts';
import { requireProfile } from '../require.ts';
import { logRowView } from '../views.ts';

const CSV_COLUMNS = ['id', 'symbol', 'level', 'msg', 'ctx', 'count', 'firstAt', 'lastAt'];

const pageView = ({ rows, next }: LogPage) => ({
  rows: rows.map(logRowView),
  nextCursor: next === null ? null : cursorText(next),
});

const ndjson = (rows: readonly LogView[]): string => rows.map((row) => `${JSON.stringify(logRowView(row))}\n`).join('');

const csv = (rows: readonly LogView[]): string =>
  rows
    .map((row) => {
      const { id, symbol, level, msg, ctx, count, firstAt, lastAt } = logRowView(row);
      return csvLine([id, symbol ?? '', level, msg, JSON.stringify(ctx), String(count), firstAt, lastAt]);
    })
    .join('');

/** Text as it comes; an error on the way breaks the connection off, so that a cut file never looks whole. */
function streamOf(first: string, rest: AsyncIterator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      const next = await rest.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => void (await rest.return?.()),
  });
}

async function* textPages(
  pages: AsyncIterable<LogView[]>,
  format: (rows: readonly LogView[]) => string,
): AsyncGenerator<string, void> {
  for await (const rows of pages) yield format(rows);
}

export function mountLogs({ context, handle }: Routes): void {
  const { kysely } = context.database;

  handle(listActionLogs, async ({ operator, params, query }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const filter = logFilter(id, { level: 'warn,error' });
    return pageView(await pageLogs(kysely, filter, { limit: query.limit, cursor: readCursor(query.cursor) }));
  });

  handle(listLogs, async ({ operator, params, query }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const { limit, cursor, ...filters } = query;
    return pageView(await pageLogs(kysely, logFilter(id, filters), { limit, cursor: readCursor(cursor) }));
  });

  handle(exportLogs, async ({ operator, params, query }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const { format, ...filters } = query;
    const pages = textPages(everyLog(kysely, logFilter(id, filters)), format === 'csv' ? csv : ndjson);
    const first = await pages.next();
    const head = format === 'csv' ? csvLine(CSV_COLUMNS) : '';
    return new Response(streamOf(`${head}${first.done === true ? '' : first.value}`, pages), {
      headers: {
        'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
        'content-disposition': `attachment; filename="logs-${id}.${format}"`,
      },
    });
  });
}
