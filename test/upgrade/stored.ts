import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { connect } from '#storage/postgres/connect.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { type Measures, measures } from './measures.ts';

/** Data that an earlier version wrote (record.ts). */
export interface Stored {
  /** The newest migration of that version. */
  readonly name: string;
  readonly backup: string;
  readonly measures: Measures;
  /** Fills an empty database as a data folder of that version was. */
  fill(url: string): Promise<void>;
}

const FOLDER = join(ROOT, 'test/upgrade');

export const STORED: readonly Stored[] = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const at = (file: string): string => join(FOLDER, name, file);
    const dump = gunzipSync(readFileSync(at('database.sql.gz'))).toString();
    const measured = measures.parse(JSON.parse(readFileSync(at('measures.json'), 'utf8')));
    return { name, backup: at('tradewind.backup'), measures: measured, fill: (url) => run(url, dump) };
  });

async function run(url: string, statements: string): Promise<void> {
  const client = await connect(url);
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
