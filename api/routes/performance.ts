import { pageClosedTrades } from '#storage/history/performance-trades.ts';
import { listProfiles } from '#storage/operator/profiles.ts';
import { exportPerformance, listPerformanceTrades, readPerformance } from '#api/contract/performance.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { requireFoundProfile } from '#api/require.ts';
import { exportRows } from '#api/views/export-rows.ts';
import { type PerformanceRequest, readPerformanceView, readTradeFilter } from '#api/views/performance.ts';
import { plain } from '#api/views/views.ts';

type Question = Pick<Incoming<typeof readPerformance>, 'operator' | 'account' | 'query'>;

const DAY_COLUMNS = ['day', 'pnl', 'realised', 'fees', 'share'];

export function mountPerformance({ context, handle }: Routes): void {
  const { kysely } = context.database;

  async function requestOf({ operator, account, query }: Question): Promise<PerformanceRequest> {
    const profiles = (await listProfiles(kysely, operator.user.id)).filter(({ accountId }) => accountId === account.id);
    const { profileId } = query;
    if (profileId !== undefined)
      requireFoundProfile(
        profiles.find(({ id }) => id === profileId),
        profileId,
      );
    return { ...query, account, profiles, timezone: operator.user.timezone };
  }

  const read = async (question: Question) => readPerformanceView(context, await requestOf(question));
  handle(readPerformance, read);

  handle(exportPerformance, async ({ operator, account, query: { format, ...query }, mask }) => {
    const { days } = await read({ operator, account, query });
    async function* pages() {
      yield days;
    }
    return exportRows({ pages: pages(), columns: DAY_COLUMNS, format, name: `performance-${account.id}`, mask });
  });

  handle(listPerformanceTrades, async ({ operator, account, query: { limit, cursor, ...query } }) => {
    const request = await requestOf({ operator, account, query });
    const names = new Map(request.profiles.map(({ id, name }) => [id, name]));
    const filter = await readTradeFilter(context, request);
    const page = await pageClosedTrades(kysely, filter, { limit, cursor: readCursor(cursor) });
    return pageView(page, ({ openedAt, closedAt, net, ...trade }) => ({
      ...trade,
      profileName: names.get(trade.profileId) ?? null,
      openedAt,
      closedAt,
      net: plain(net),
    }));
  });
}
