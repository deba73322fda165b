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
import type { Environment } from './environment.ts';
import { sellByHand } from './unprotected.ts';

const TEN = requireDecimal('10');

/** The exchange makes the grid of the first coin ten times coarser: resting orders stay, new orders must fit. */
export async function changeGrid(environment: Environment, by: 'tick' | 'step'): Promise<void> {
  const [symbol = ''] = environment.symbols;
  const rules = environment.paper.venue.markets.get(symbol)?.listing.rules;
  if (rules === undefined) throw new Error('The exchange lists no coin.');
  const now = by === 'tick' ? rules.price.tick : rules.lot.step;
  await environment.control('POST', '/symbols', { symbol, [by]: formatDecimal(multiply(now, TEN)) });
}

/** Changes the config of the last coin while its candles cannot be read; the result sells the first coin meanwhile. */
export async function unreadLast(environment: Environment, pace: number): Promise<() => Promise<void>> {
  const [first = '', last = ''] = environment.symbols;
  await environment.addFault(unreadCandles(last));
  const override = JSON.stringify({ buy: { candleLimit: 16 } });
  const coins = environment.database.kysely.updateTable('profile_symbols').set({ override_config: override });
  await coins.where('symbol', '=', last).execute();
  await environment.notify('profiles-changed');
  return () => sellByHand({ environment, pace }, first);
}

export async function refuseWrites(environment: Environment, forMs: number): Promise<void> {
  await environment.refuseWrites(true);
  await delay(forMs);
  await environment.refuseWrites(false);
}

/** A number between those of all intents before and all intents after. */
export async function nextHaltOrder(transaction: Transaction): Promise<bigint> {
  const { rows } = await sql<{ number: string }>`select nextval('halt_order') as number`.execute(transaction);
  return BigInt(rows[0]?.number ?? 0);
}

const nextNumber = ({ database }: Environment): Promise<bigint> => database.transaction(nextHaltOrder);

export const backUp = async (environment: Environment): Promise<string> => {
  const path = join(environment.folder, 'run.backup');
  await takeBackup(environment.database, path);
  return path;
};

/**
 * Restores the backup while the worker runs. That removes kill switches that the run engaged, and engages the one of
 * the restore; undefined when an order in flight prevented the restore.
 */
export async function restore(
  environment: Environment,
  path: string,
  engagements: Engagement[],
): Promise<Engagement | undefined> {
  const open = engagements.filter(({ until }) => until === null);
  for (const engagement of open) engagement.until = await nextNumber(environment);
  try {
    await restoreBackup(environment.database, path);
  } catch (error) {
    if (!(error instanceof BackupRefused)) throw error;
    for (const engagement of open) engagement.until = null;
    return undefined;
  }
  // The restore engages the kill switches of the backup again, and nothing in this run would release them.
  const { accountId, profileId } = environment;
  await releaseHalt(environment.database, { scope: 'account', subject: accountId });
  await releaseHalt(environment.database, { scope: 'profile', subject: profileId });
  const engagement: Engagement = { scope: 'all', freeze: false, from: await nextNumber(environment), until: null };
  engagements.push(engagement);
  return engagement;
}
