import { type DeclaredIndicators, descriptionSchema, indicatorsSchema } from '#authoring/description.ts';
import type { RunningFile } from '#authoring/moment.ts';
import { ownStrategy, readReference, referenceOf } from '#authoring/own-strategy.ts';
import { configSchema, readConfig, type Values, valuesOf } from '#authoring/schema.ts';
import { cellsOf } from '#authoring/series.ts';
import type { Database } from '#storage/postgres/database.ts';
import { readDeclared } from '#storage/operator/strategy-declarations.ts';
import { listVersionStates, readVersion, type StoredVersion } from '#storage/operator/strategy-versions.ts';
import { addStrategy, STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';

const READ_EVERY_MS = 2_000;

/** References of the versions that the files of the data folder have now. */
let present: ReadonlySet<string> = new Set();

/** A file without its rules: its indicators can be drawn. */
const quietFile = (layout: string): RunningFile => ({
  cells: cellsOf(layout),
  step: () => {},
  memory: () => '{}',
  lines: () => '{}',
  problem: () => '',
});

/**
 * A version as its description alone: the api never runs a file. Its indicators are those that the worker stored for the
 * settings that `prepare` has read; it draws nothing for other settings, and no prices that the rules compute.
 */
function describedStrategy(database: Database, version: StoredVersion): AnyStrategy | undefined {
  const { hash } = version;
  const parsed = descriptionSchema.safeParse(version.description);
  const usual = indicatorsSchema.safeParse(version.declared);
  if (!parsed.success || !usual.success) return undefined;
  const description = parsed.data;
  const schema = configSchema(description);
  const settingsOf = (config: unknown): Values => valuesOf(description, readConfig(schema, config).config.settings);
  const known = new Map<string, DeclaredIndicators>([[JSON.stringify(settingsOf({})), usual.data]]);
  const own = ownStrategy({
    ...{ hash, description },
    declare: (values) => known.get(JSON.stringify(values)) ?? usual.data,
    open: (_values, layout) => quietFile(layout),
  });
  return {
    ...own,
    async prepare(config) {
      const settings = settingsOf(config);
      const key = JSON.stringify(settings);
      if (known.has(key)) return;
      const declared = indicatorsSchema.safeParse(await readDeclared(database.kysely, { hash, settings }));
      if (declared.success) known.set(key, declared.data);
    },
    bind(config) {
      const bound = own.bind(config);
      const { lines = [], levels = {} } = bound.drawings ?? {};
      const isKnown = known.has(JSON.stringify(settingsOf(config)));
      const drawn = lines.filter(({ name, acts }) => isKnown && !acts && !Object.hasOwn(description.lines, name));
      return { ...bound, drawings: { lines: drawn, levels } };
    },
  };
}

/** Reads the stored versions now and every two seconds, and adds them to the strategies of this process. */
export async function readStrategyVersions(
  database: Database,
  onFailure: (error: unknown) => void,
): Promise<AsyncDisposable> {
  const read = async (): Promise<void> => {
    const now = new Set<string>();
    for (const { name, hash, present: isPresent } of await listVersionStates(database.kysely)) {
      const reference = referenceOf(name, hash);
      if (isPresent) now.add(reference);
      const version = STRATEGIES.has(reference) ? undefined : await readVersion(database.kysely, hash);
      const strategy = version === undefined ? undefined : describedStrategy(database, version);
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
