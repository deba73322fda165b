import { descriptionSchema, indicatorsSchema } from '#authoring/description.ts';
import { ownStrategy } from '#authoring/own-strategy.ts';
import { configSchema, readConfig, valuesOf } from '#authoring/schema.ts';
import type { EngineLog } from '#engine/state/ports.ts';
import type { Database } from '#storage/postgres/database.ts';
import {
  keepCertificate,
  keepQuarantine,
  keepVersion,
  listVersionStates,
  markPresent,
  readVersion,
  type StoredVersion,
} from '#storage/operator/strategy-versions.ts';
import { keepDeclared } from '#storage/operator/strategy-declarations.ts';
import { keepFiles, type SeenFile } from '#storage/operator/strategy-files.ts';
import { addStrategy, STRATEGIES } from '#strategies/registry.ts';
import type { StrategyFile } from '#strategies/strategy.ts';
import { describeInProcess, DistantVersion } from './distant-version.ts';
import { readCertificates, readStrategyFolder } from './folder.ts';
import { hashOf } from './source.ts';

const LOOK_EVERY_MS = 5_000;

interface ShelfInput {
  readonly folder: string;
  readonly database: Database;
  readonly log: EngineLog;
  /** A version was put into quarantine. */
  readonly onQuarantine: (version: StoredVersion, sentence: string) => void;
}

/** The strategy files of the data folder, and every version that a profile may still name. */
export interface Shelf extends AsyncDisposable {
  /** Reads folder and database again. */
  refresh(): Promise<void>;
}

/**
 * Keeps the versions of the data folder in the database, and adds every stored version to the strategies of this
 * process. A file is evaluated only in a process of its own.
 */
export async function openShelf(input: ShelfInput): Promise<Shelf> {
  const versions = new Map<string, DistantVersion>();
  const seen = new Map<string, string>();
  let turn: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const files = readStrategyFolder(input.folder);
    if (files !== undefined) await lookAtFiles(input, files, seen);
    for (const certificate of readCertificates(input.folder))
      if (seen.get(`certificate:${certificate.hash}`) !== certificate.at) {
        await keepCertificate(input.database.kysely, certificate.hash, certificate);
        seen.set(`certificate:${certificate.hash}`, certificate.at);
      }
    for (const { hash, present } of await listVersionStates(input.database.kysely)) {
      const known = versions.get(hash);
      if (known !== undefined) known.gone = !present;
      const stored = known === undefined ? await readVersion(input.database.kysely, hash) : undefined;
      if (stored !== undefined) addVersion(input, stored, versions);
    }
  };
  const refresh = (): Promise<void> => {
    turn = turn.then(look).catch((err: unknown) => {
      input.log.warn({ event: 'strategies_not_read', err }, 'The strategy files could not be read');
    });
    return turn;
  };
  await refresh();
  const timer = setInterval(() => void refresh(), LOOK_EVERY_MS);
  return {
    refresh,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await turn;
      for (const version of versions.values()) version.close();
    },
  };
}

async function lookAtFiles(
  { database, log }: ShelfInput,
  files: readonly StrategyFile[],
  seen: Map<string, string>,
): Promise<void> {
  const hashes: string[] = [];
  const rows: SeenFile[] = [];
  const names = new Map<string, string>();
  for (const file of files) {
    const hash = hashOf(file.text);
    const problem = await keepFile(database, file, { hash, seen, names });
    rows.push({ file: file.name, hash, problem });
    if (problem === null) hashes.push(hash);
    else if (seen.get(`problem:${file.name}`) !== problem) {
      seen.set(`problem:${file.name}`, problem);
      log.warn({ event: 'strategy_refused', file: file.name }, problem);
    }
  }
  await markPresent(database.kysely, hashes);
  const shown = JSON.stringify(rows);
  if (seen.get('files') !== shown) await keepFiles(database.kysely, rows);
  seen.set('files', shown);
}

interface Keeping {
  readonly hash: string;
  readonly seen: Map<string, string>;
  /** File by declared name, for this look. */
  readonly names: Map<string, string>;
}

/** Stores a file; the sentence of its refusal, or null. */
async function keepFile(
  database: Database,
  file: StrategyFile,
  { hash, seen, names }: Keeping,
): Promise<string | null> {
  const known = seen.get(hash);
  if (known !== undefined) return twice(names, known, file.name);
  // A process for each look at a broken file would cost as much as trading.
  const refused = seen.get(`refused:${hash}`);
  if (refused !== undefined) return refused;
  const { description, declared, failed, hung } = await describeInProcess(file);
  if (failed !== undefined) {
    if (hung !== true) seen.set(`refused:${hash}`, failed);
    return failed;
  }
  const parsed = descriptionSchema.safeParse(description);
  if (!parsed.success) return `${file.name} could not be described.`;
  const { name } = parsed.data;
  if (STRATEGIES.has(name)) return `${file.name}: "${name}" is the name of a built-in strategy; choose another.`;
  const clash = twice(names, name, file.name);
  if (clash !== null) return clash;
  await keepVersion(database.kysely, { hash, name, file: file.name, source: file.text, description, declared });
  seen.set(hash, name);
  return null;
}

function twice(names: Map<string, string>, name: string, file: string): string | null {
  const other = names.get(name);
  if (other !== undefined) return `${file}: the strategy "${name}" is already declared by ${other}.`;
  names.set(name, file);
  return null;
}

function addVersion(
  { database, log, onQuarantine }: ShelfInput,
  stored: StoredVersion,
  versions: Map<string, DistantVersion>,
): void {
  const description = descriptionSchema.safeParse(stored.description);
  const declared = indicatorsSchema.safeParse(stored.declared);
  if (!description.success || !declared.success) {
    log.warn({ event: 'strategy_unreadable', hash: stored.hash }, `The stored version of ${stored.file} is unreadable`);
    return;
  }
  const version = new DistantVersion({
    ...{ hash: stored.hash, description: description.data, declared: declared.data },
    file: { name: stored.file, text: stored.source },
    quarantine: stored.quarantine,
    onQuarantine(sentence) {
      keepQuarantine(database.kysely, stored.hash, sentence).catch((err: unknown) =>
        log.warn({ event: 'quarantine_not_stored', err }, 'A quarantine could not be stored'),
      );
      onQuarantine(stored, sentence);
    },
    onDeclared(settings, indicators) {
      keepDeclared(database.kysely, { hash: stored.hash, settings }, indicators).catch((err: unknown) =>
        log.warn({ event: 'declaration_not_stored', err }, 'The indicators of a strategy file could not be stored'),
      );
    },
  });
  version.gone = !stored.present;
  versions.set(stored.hash, version);
  const schema = configSchema(description.data);
  addStrategy({
    ...ownStrategy(version),
    async prepare(config) {
      const read = readConfig(schema, config);
      await version.prepare(valuesOf(description.data, read.config.settings));
    },
  });
}
