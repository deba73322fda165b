import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { formatDecimal, multiply, requireDecimal } from '#core/amount/decimal.ts';
import { BackupRefused } from '#storage/backup/refused.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import { releaseHalt } from '#storage/trading/halts.ts';
import { unreadCandles } from './fault-table.ts';
import type { Engagement } from './oracle.ts';
import type { Stage } from './stage.ts';
import { sellByHand } from './vigil.ts';

const TEN = requireDecimal('10');

/** The exchange makes the grid of the first coin ten times as coarse: what rests stays, new orders must fit. */
export async function changeGrid(stage: Stage, by: 'tick' | 'step'): Promise<void> {
  const [symbol = ''] = stage.symbols;
  const rules = stage.paper.venue.markets.get(symbol)?.listing.rules;
  if (rules === undefined) throw new Error('The exchange lists no coin.');
  const now = by === 'tick' ? rules.price.tick : rules.lot.step;
  await stage.control('POST', '/symbols', { symbol, [by]: formatDecimal(multiply(now, TEN)) });
}

/** Another config for the last coin while its candles cannot be read; what the first one holds is sold meanwhile. */
export async function unreadLast(stage: Stage, pace: number): Promise<() => Promise<void>> {
  const [first = '', last = ''] = stage.symbols;
  await stage.addFault(unreadCandles(last));
  const override = JSON.stringify({ buy: { candleLimit: 16 } });
  const coins = stage.database.kysely.updateTable('profile_symbols').set({ override_config: override });
  await coins.where('symbol', '=', last).execute();
  await stage.tell('profiles-changed');
  return () => sellByHand({ stage, pace }, first);
}

export async function refuseWrites(stage: Stage, forMs: number): Promise<void> {
  await stage.refuseWrites(true);
  await delay(forMs);
  await stage.refuseWrites(false);
}

/** A number between those of all intents before and all intents after. */
export async function nextHaltOrder(transaction: Transaction): Promise<bigint> {
  const { rows } = await sql<{ number: string }>`select nextval('halt_order') as number`.execute(transaction);
  return BigInt(rows[0]?.number ?? 0);
}

const nextNumber = ({ database }: Stage): Promise<bigint> => database.transaction(nextHaltOrder);

export const backUp = async (stage: Stage): Promise<string> => {
  const path = join(stage.folder, 'play.backup');
  await takeBackup(stage.database, path);
  return path;
};

/**
 * Puts the backup back while the worker runs. Kill switches of the play go with what they were stored in, and the one of
 * the restore is engaged; undefined when an order on its way kept it from being restored.
 */
export async function restore(stage: Stage, path: string, engagements: Engagement[]): Promise<Engagement | undefined> {
  const open = engagements.filter(({ until }) => until === null);
  for (const each of open) each.until = await nextNumber(stage);
  try {
    await restoreBackup(stage.database, path);
  } catch (error) {
    if (!(error instanceof BackupRefused)) throw error;
    for (const each of open) each.until = null;
    return undefined;
  }
  // Those of the backup are engaged again, and nobody of this play would release them.
  const { accountId, profileId } = stage;
  await releaseHalt(stage.database, { scope: 'account', subject: accountId });
  await releaseHalt(stage.database, { scope: 'profile', subject: profileId });
  const engagement: Engagement = { scope: 'all', freeze: false, from: await nextNumber(stage), until: null };
  engagements.push(engagement);
  return engagement;
}
