import { type Decimal, requireDecimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { OrderId } from '#core/ids.ts';
import type { Adjustment } from '#core/position/position.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { fillOf } from './fills.ts';
import type { RunnerKey } from './runners.ts';

/** A booked fill with the reason code of its order. */
interface BookedFill {
  readonly version: number;
  readonly orderId: OrderId;
  readonly reason: string;
  readonly cycle: number;
  readonly fill: ExchangeFill;
  readonly feeQuote: Decimal | null;
  /** Profit of a sale net of all fees, in quote; zero for a buy. */
  readonly realised: string;
}

interface BookedAdjustment {
  readonly version: number;
  readonly adjustment: Adjustment;
}

/** Changes of a position in the order in which they were booked, that is by `version`. */
interface PositionHistory {
  readonly fills: readonly BookedFill[];
  readonly adjustments: readonly BookedAdjustment[];
}

/**
 * The changes of a position since `from`, and those before it of the position that was open then, so that they start from
 * a flat position.
 */
export async function readPositionHistory(reader: Reader, key: RunnerKey, from: Date): Promise<PositionHistory> {
  const start = await openedBefore(reader, key, from);
  if (start === undefined) return { fills: [], adjustments: [] };
  const fills = await reader
    .selectFrom('fills')
    .innerJoin('orders', 'orders.id', 'fills.order_id')
    .selectAll('fills')
    .select('orders.reason')
    .where('fills.profile_id', '=', key.profileId)
    .where('fills.symbol', '=', key.symbol)
    .where('fills.at', '>=', start)
    .orderBy('fills.runner_version')
    .execute();
  const adjustments = await reader
    .selectFrom('position_adjustments')
    .select(['runner_version as version', 'quantity', 'average_price as averagePrice', 'held', 'at'])
    .where('profile_id', '=', key.profileId)
    .where('symbol', '=', key.symbol)
    .where('at', '>=', start)
    .orderBy('runner_version')
    .execute();
  return {
    fills: fills.map((row) => ({
      version: Number(row.runner_version),
      orderId: row.order_id,
      reason: row.reason,
      cycle: row.cycle,
      fill: fillOf(row),
      feeQuote: row.fee_quote === null ? null : requireDecimal(row.fee_quote),
      realised: row.realised,
    })),
    adjustments: adjustments.map(({ version, quantity, averagePrice, held, at }) => ({
      version: Number(version),
      adjustment: { quantity: requireDecimal(quantity), averagePrice: requireDecimal(averagePrice), held, at },
    })),
  };
}

/** When the first position opened that was not closed before `from`; undefined without one. */
async function openedBefore(reader: Reader, { profileId, symbol }: RunnerKey, from: Date): Promise<Date | undefined> {
  const closed = await reader
    .selectFrom('closed_cycles')
    .select((cycles) => cycles.fn.min('opened_at').as('at'))
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .where('closed_at', '>=', from)
    .executeTakeFirst();
  if (closed?.at != null) return closed.at;
  const open = await reader
    .selectFrom('runner_states')
    .select('first_buy_at as at')
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .executeTakeFirst();
  return open?.at ?? undefined;
}
