import { setTimeout as delay } from 'node:timers/promises';
import { listLogs } from '#api/contract/records.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { ProfileId } from '#core/ids.ts';
import { type Client, ClientProblem } from '#api/script-client.ts';

export type LogRow = Answer<typeof listLogs>['rows'][number];

interface Followed {
  readonly id: ProfileId;
  readonly query: Readonly<Record<string, string>>;
  /** Rows already shown, oldest first. */
  readonly shown: readonly LogRow[];
  /** Reports once that the api does not answer, until it answers again. */
  readonly onSilence: (sentence: string) => void;
}

const EVERY_MS = 1_000;
/** Rows are written in batches, so a row may arrive after a slightly newer one. */
const OVERLAP_MS = 60_000;

/** Later rows, oldest first. A repeated row arrives again with its new count. Ends only by abort. */
export async function* followLogs(client: Client, { id, query, shown, onSilence }: Followed): AsyncGenerator<LogRow> {
  const counts = new Map(shown.map((row) => [row.id, row.count]));
  let newest = shown.at(-1)?.lastAt;
  let silent = false;
  for (;;) {
    await delay(EVERY_MS);
    const from = newest === undefined ? {} : { from: new Date(Date.parse(newest) - OVERLAP_MS).toISOString() };
    try {
      const { rows } = await client.call(listLogs, { params: { id }, query: { ...query, ...from, limit: '1000' } });
      silent = false;
      for (const row of rows.toReversed()) {
        if (counts.get(row.id) === row.count) continue;
        counts.set(row.id, row.count);
        if (newest === undefined || row.lastAt > newest) newest = row.lastAt;
        yield row;
      }
    } catch (error) {
      if (!(error instanceof ClientProblem) || error.problem !== undefined) throw error;
      if (!silent) onSilence(error.message);
      silent = true;
    }
  }
}
