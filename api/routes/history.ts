import type { z } from 'zod';
import { createRun, listRuns, pageArchived, type RunKind } from '#storage/history/account-history.ts';
import { everyPage } from '#storage/postgres/pages.ts';
import { lockProfile } from '#storage/operator/profiles.ts';
import { tradedSymbols } from '#storage/history/trades.ts';
import { auditChange } from '#api/audit.ts';
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
import { requireAccount, requireProfile } from '#api/require.ts';
import { plain } from '#api/views/views.ts';

type ReportCall = Pick<Incoming<typeof reconcileFees>, 'operator' | 'caller' | 'params'>;

/** One run of a kind at a time: a second one would read the same pages again. */
async function start(
  { database, queue }: ApiContext,
  call: ReportCall,
  { kind, ...request }: { kind: RunKind; symbols?: readonly string[] },
) {
  const { id: profileId } = call.params;
  const { accountId } = await requireProfile(database.kysely, call.operator, profileId);
  const { apiKey } = await requireAccount(database.kysely, call.operator, accountId);
  if (apiKey === null)
    throw new ApiProblem('conflict', 'The account has no API key, and trades are listed for a key only.');
  const runId = await database.transaction(async (transaction) => {
    await lockProfile(transaction, call.operator.user.id, profileId);
    const [last] = await listRuns(transaction, profileId, kind);
    if (last?.status === 'queued' || last?.status === 'running')
      throw new ApiProblem('conflict', 'The previous run has not ended yet: wait for it.');
    const id = await createRun(transaction, { profileId, kind, request });
    await queue.enqueueIn(transaction, { name: 'account-history', data: { runId: id } });
    const action = kind === 'fees' ? 'fees.reconcile' : 'trade-archive.backfill';
    await auditChange(transaction, call, { action, subject: profileId, after: { runId: id, ...request } });
    return id;
  });
  return { runId };
}

const runsView = <Report extends z.ZodType>(runs: Awaited<ReturnType<typeof listRuns>>, report: Report) => ({
  runs: runs.map(({ startedAt, finishedAt, ...run }) => ({
    ...run,
    report: run.report === null ? null : report.parse(run.report),
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  })),
});

const archivedView = (row: Awaited<ReturnType<typeof pageArchived>>['rows'][number]) => ({
  ...row,
  at: row.at.toISOString(),
  price: plain(row.price),
  quantity: plain(row.quantity),
  quoteQuantity: plain(row.quoteQuantity),
  feeAmount: plain(row.feeAmount),
});
const COLUMNS = Object.keys(listArchivedFills.response.shape.rows.element.shape);

export function mountHistory({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(reconcileFees, (call) => start(context, call, { kind: 'fees' }));
  handle(listFeeReconciliations, async ({ operator, params }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    return runsView(await listRuns(kysely, id, 'fees'), feeReport);
  });
  handle(backfillTradeArchive, async (call) => {
    const profile = await requireProfile(kysely, call.operator, call.params.id);
    const traded = await tradedSymbols(kysely, { profileId: profile.id });
    const symbols = call.body.symbols ?? [...new Set([...profile.symbols, ...traded])];
    return start(context, call, { kind: 'archive', symbols });
  });
  handle(listArchiveBackfills, async ({ operator, params }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    return runsView(await listRuns(kysely, id, 'archive'), backfillReport);
  });

  const filterOf = async ({
    operator,
    params,
    query,
  }: Pick<Incoming<typeof listArchivedFills>, 'operator' | 'params' | 'query'>) => {
    const profile = await requireProfile(kysely, operator, params.id);
    const account = await requireAccount(kysely, operator, profile.accountId);
    const traded = await tradedSymbols(kysely, { profileId: profile.id });
    const symbols = query.symbol === undefined ? [...new Set([...profile.symbols, ...traded])] : [query.symbol];
    return { account, symbols, from: query.from, to: query.to };
  };
  handle(listArchivedFills, async (incoming) => {
    const { limit, cursor } = incoming.query;
    const page = await pageArchived(kysely, await filterOf(incoming), { limit, cursor: readCursor(cursor) });
    return pageView(page, archivedView);
  });
  handle(exportArchivedFills, async ({ query: { format, ...query }, mask, ...incoming }) => {
    const filter = await filterOf({ ...incoming, query: { ...query, limit: 1, cursor: undefined } });
    const pages = viewed(
      everyPage((page) => pageArchived(kysely, filter, page)),
      archivedView,
    );
    return exportRows({ pages, columns: COLUMNS, format, name: `archive-${incoming.params.id}`, mask });
  });
}
