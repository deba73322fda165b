import { keepCheck } from '#storage/operator/strategy-files.ts';
import { readVersion } from '#storage/operator/strategy-versions.ts';
import type { WorkerContext } from '#worker/context.ts';
import { certificateOf, checkFile } from '#worker/strategy/check.ts';

/** Checks a stored version in a process of its own, and stores the result. A version that is gone has nothing to check. */
export async function checkStrategy({ database }: WorkerContext, hash: string): Promise<void> {
  const version = await readVersion(database.kysely, hash);
  if (version === undefined) return;
  const checked = await checkFile({ name: version.file, text: version.source });
  const { passed, refused, properties, remarks, candles, fills } = checked;
  const problem = refused === undefined ? {} : { refused };
  await keepCheck(database.kysely, hash, {
    checked: { passed, ...problem, properties, remarks, candles, fills, at: new Date().toISOString() },
    certificate: passed ? certificateOf(checked) : undefined,
  });
}
