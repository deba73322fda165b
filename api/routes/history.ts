import type { z } from 'zod';
import { createRun, listRuns, pageArchived, type RunKind } from '#storage/history/account-history.ts';
import { everyPage } from '#storage/postgres/pages.ts';
import { tradedSymbols } from '#storage/history/trades.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  backfillReport,
  backfillTradeArchive,
  exportArchivedFills,
  feeReport,
  listArchiveBackfills,
  listArchivedFills,
  listFeeReconciliations,
  reconcileFees,
} from '#api/contract/history.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import { exportRows, viewed } from '#api/views/export-rows.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { plain } from '#api/views/views.ts';

type ReportCall = Incoming<typeof reconcileFees> | Incoming<typeof backfillTradeArchive>;

/** One run of a kind at a time: a second one would read the same pages again. */
async function start(
  { queue }: ApiContext,
  { readAccount, commit }: ReportCall,
  { kind, ...request }: { kind: RunKind; symbols?: readonly string[] },
) {
  const { apiKey } = await readAccount();
  if (apiKey === null)
    throw new ApiProblem('conflict', 'The account has no API key, and trades are listed for a key only.');
  return commit(async ({ transaction, profile: { id: profileId } }) => {
    const [last] = await listRuns(transaction, profileId, kind);
    if (last?.status === 'queued' || last?.status === 'running')
      throw new ApiProblem('conflict', 'The previous run has not ended yet: wait for it.');
    const runId = await createRun(transaction, { profileId, kind, request });
    await queue.enqueueIn(transaction, { name: 'account-history', data: { runId } });
    return { answer: { runId }, after: { runId, ...request } };
  });
}

const runsView = <Report extends z.ZodType>(runs: Awaited<ReturnType<typeof listRuns>>, report: Report) => ({
  runs: runs.map((run) => ({ ...run, report: run.report === null ? null : report.parse(run.report) })),
});

const archivedView = (row: Awaited<ReturnType<typeof pageArchived>>['rows'][number]) => ({
  ...row,
  price: plain(row.price),
  quantity: plain(row.quantity),
  quoteQuantity: plain(row.quoteQuantity),
  feeAmount: plain(row.feeAmount),
});
const COLUMNS = Object.keys(listArchivedFills.response.shape.rows.element.shape);

type ArchiveCall = Pick<Incoming<typeof listArchivedFills>, 'profile' | 'readAccount'> & {
  readonly query: Pick<Incoming<typeof listArchivedFills>['query'], 'symbol' | 'from' | 'to'>;
};

export function mountHistory({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(reconcileFees, (call) => start(context, call, { kind: 'fees' }));
  handle(listFeeReconciliations, async ({ profile }) =>
    runsView(await listRuns(kysely, profile.id, 'fees'), feeReport),
  );
  handle(backfillTradeArchive, async (call) => {
    const { profile } = call;
    const traded = await tradedSymbols(kysely, { profileId: profile.id });
    const symbols = call.body.symbols ?? [...new Set([...profile.symbols, ...traded])];
    return start(context, call, { kind: 'archive', symbols });
  });
  handle(listArchiveBackfills, async ({ profile }) =>
    runsView(await listRuns(kysely, profile.id, 'archive'), backfillReport),
  );

  const filterOf = async ({ profile, readAccount, query }: ArchiveCall) => {
    const account = await readAccount();
    const traded = await tradedSymbols(kysely, { profileId: profile.id });
    const symbols = query.symbol === undefined ? [...new Set([...profile.symbols, ...traded])] : [query.symbol];
    return { account, symbols, from: query.from, to: query.to };
  };
  handle(listArchivedFills, async (incoming) => {
    const { limit, cursor } = incoming.query;
    const page = await pageArchived(kysely, await filterOf(incoming), { limit, cursor: readCursor(cursor) });
    return pageView(page, archivedView);
  });
  handle(exportArchivedFills, async (incoming) => {
    const filter = await filterOf(incoming);
    const pages = viewed(
      everyPage((page) => pageArchived(kysely, filter, page)),
      archivedView,
    );
    const { format } = incoming.query;
    const name = `archive-${incoming.profile.id}`;
    return exportRows({ pages, columns: COLUMNS, format, name, mask: incoming.mask });
  });
}
