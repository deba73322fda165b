import { descriptionSchema, indicatorsSchema } from '#authoring/description.ts';
import { ownStrategy, readReference, referenceOf } from '#authoring/own-strategy.ts';
import type { Database } from '#storage/postgres/database.ts';
import { listVersions, type StoredVersion } from '#storage/operator/strategy-versions.ts';
import { addStrategy, STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';

const READ_EVERY_MS = 2_000;

/** References of the versions that the files of the data folder have now. */
let present: ReadonlySet<string> = new Set();

/** A version as its description alone: the api never runs a file. */
function describedStrategy({ hash, description, declared }: StoredVersion): AnyStrategy | undefined {
  const parsed = descriptionSchema.safeParse(description);
  const indicators = indicatorsSchema.safeParse(declared);
  if (!parsed.success || !indicators.success) return undefined;
  return ownStrategy({
    hash,
    description: parsed.data,
    declare: () => indicators.data,
    open() {
      throw new Error('the api does not run strategy files');
    },
  });
}

/** Reads the stored versions now and every two seconds, and adds them to the strategies of this process. */
export async function readStrategyVersions(
  database: Database,
  onFailure: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const read = async (): Promise<void> => {
    const versions = await listVersions(database.kysely);
    const now = new Set<string>();
    for (const version of versions) {
      const reference = referenceOf(version.name, version.hash);
      if (version.present) now.add(reference);
      const strategy = STRATEGIES.has(reference) ? undefined : describedStrategy(version);
      if (strategy !== undefined) addStrategy(strategy);
    }
    present = now;
  };
  await read();
  let turn: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    turn = turn.then(read).catch(onFailure);
  }, READ_EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await turn;
    },
  };
}

/** Whether a new profile may use a strategy: a built-in one, or the present version of a file. */
export const isOffered = ({ name }: Pick<AnyStrategy, 'name'>): boolean =>
  readReference(name).hash === null || present.has(name);
