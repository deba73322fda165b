import { sql } from 'kysely';
import { requireDecimal } from '#core/amount/decimal.ts';
import { foldLevel, type LevelFill } from '#core/position/levels.ts';
import { isObject } from '#core/merge.ts';
import type { Reader } from '#storage/postgres/database.ts';
import type { RunnerKey } from './runners.ts';

/** The level an order was placed for, from its stored decision; orders without a level were placed outside of the levels. */
function levelOf(decision: unknown): { level: number | null; planned: string } {
  const entry = isObject(decision) ? decision['entry'] : undefined;
  if (!isObject(entry)) return { level: null, planned: '0' };
  const { level, plannedQuote } = entry;
  if (typeof level !== 'number' || typeof plannedQuote !== 'string') return { level: null, planned: '0' };
  return { level, planned: plannedQuote };
}

/** Filled amounts of each level's buys since the position was opened, from the fills of the current cycle. */
export async function levelFills(reader: Reader, { profileId, symbol }: RunnerKey): Promise<LevelFill[]> {
  const rows = await reader
    .selectFrom('fills')
    .innerJoin('orders', 'orders.id', 'fills.order_id')
    .innerJoin('runner_states', (join) =>
      join
        .onRef('runner_states.profile_id', '=', 'fills.profile_id')
        .onRef('runner_states.symbol', '=', 'fills.symbol')
        .onRef('runner_states.cycle', '=', 'fills.cycle'),
    )
    .select(['orders.decision', sql<string>`fills.quote_quantity`.as('quote')])
    .where('fills.profile_id', '=', profileId)
    .where('fills.symbol', '=', symbol)
    .where('fills.side', '=', 'buy')
    .where('runner_states.first_buy_at', 'is not', null)
    .orderBy('fills.runner_version')
    .execute();
  return rows.reduce<LevelFill[]>((levels, { decision, quote }) => {
    const { level, planned } = levelOf(decision);
    const plannedQuote = requireDecimal(planned);
    return foldLevel(levels, { level, plannedQuote, quoteQuantity: requireDecimal(quote) });
  }, []);
}
