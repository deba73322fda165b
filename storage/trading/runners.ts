import { type Selectable, sql } from 'kysely';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { RunnerState, StateToKeep } from '#core/ports/store.ts';
import { FLAT, type Position } from '#core/position/position.ts';
import type { Database, Reader, Transaction } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import type { Tables } from '#storage/postgres/tables.ts';

export interface RunnerKey {
  readonly profileId: ProfileId;
  readonly symbol: string;
}

export const positionOf = (row: Selectable<Tables['runner_states']>): Position => ({
  quantity: requireDecimal(row.quantity),
  averagePrice: requireDecimal(row.average_price),
  cost: requireDecimal(row.cost),
  peakQuantity: requireDecimal(row.peak_quantity),
  cycle: row.cycle,
  cycleNet: requireDecimal(row.cycle_net),
  filledQuote: requireDecimal(row.filled_quote),
  firstBuyAt: row.first_buy_at,
  lastFillAt: row.last_fill_at,
  cooldownUntil: row.cooldown_until,
  lastCycleNet: row.last_cycle_net === null ? null : requireDecimal(row.last_cycle_net),
});

/** Columns of a position; the inverse of positionOf. */
export const positionColumns = (position: Position) => ({
  quantity: formatDecimal(position.quantity),
  average_price: formatDecimal(position.averagePrice),
  cost: formatDecimal(position.cost),
  peak_quantity: formatDecimal(position.peakQuantity),
  cycle: position.cycle,
  cycle_net: formatDecimal(position.cycleNet),
  filled_quote: formatDecimal(position.filledQuote),
  first_buy_at: position.firstBuyAt,
  last_fill_at: position.lastFillAt,
  cooldown_until: position.cooldownUntil,
  last_cycle_net: position.lastCycleNet === null ? null : formatDecimal(position.lastCycleNet),
});

/** The stored state of (profile, symbol); one that never traded is flat at version 0. */
export async function loadRunner(reader: Reader, { profileId, symbol }: RunnerKey): Promise<RunnerState> {
  const row = await reader
    .selectFrom('runner_states')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .executeTakeFirst();
  if (row === undefined) return { version: 0, strategyState: null, position: FLAT, reconciled: true };
  return {
    version: Number(row.version),
    strategyState: row.strategy_state,
    position: positionOf(row),
    reconciled: row.compared,
  };
}

/** Locks the row of (profile, symbol) until the transaction ends, and creates a missing row. */
export async function lockRunner(
  transaction: Transaction,
  key: RunnerKey,
): Promise<Selectable<Tables['runner_states']>> {
  await transaction
    .insertInto('runner_states')
    .values({ profile_id: key.profileId, symbol: key.symbol })
    .onConflict((conflict) => conflict.columns(['profile_id', 'symbol']).doNothing())
    .execute();
  return transaction
    .selectFrom('runner_states')
    .selectAll()
    .where('profile_id', '=', key.profileId)
    .where('symbol', '=', key.symbol)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Marks a coin as reconciled with the exchange after a restore; see {@link TradingStore}. */
export async function markReconciled({ kysely }: Database, { profileId, symbol }: RunnerKey): Promise<void> {
  await kysely
    .updateTable('runner_states')
    .set({ compared: true })
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .execute();
}

/** One statement; see {@link TradingStore}. The version is unchanged, because no money moved. */
export async function saveStrategyStates(db: Database, states: readonly StateToKeep[]): Promise<void> {
  if (states.length === 0) return;
  const rows = states.map(({ profileId, ...rest }) => ({ profile_id: profileId, ...rest }));
  await sql`
    insert into runner_states as runner (profile_id, symbol, version, strategy_state)
    select row.profile_id, row.symbol, row.version, row.state
    from jsonb_to_recordset(${jsonText(rows)}::jsonb) as row (profile_id uuid, symbol text, version bigint, state jsonb)
    join profiles on profiles.id = row.profile_id
    order by row.profile_id, row.symbol
    on conflict (profile_id, symbol) do update set strategy_state = excluded.strategy_state
    where runner.version = excluded.version`.execute(db.kysely);
}
