import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, readProcessBirth } from './process-birth.ts';

/** Owner of a folder; `note` is information for other processes, such as its URL. */
interface Owner {
  readonly pid: number;
  readonly note: string;
}

type LockResult =
  | { readonly kind: 'owned'; readonly lock: OwnerLock }
  | { readonly kind: 'held'; readonly owner: Owner };

interface LockRecord extends Owner {
  readonly birth: string;
}

/**
 * Ownership of a folder by one process at a time, without a race in which two processes own it.
 * Each owner creates the next numbered file through link(2), which fails when the file exists; the highest number owns.
 * Numbers only grow: the file of a released or dead owner stays until a successor exists, so no process can take a lower number.
 */
export class OwnerLock implements AsyncDisposable {
  readonly #folder: string;
  readonly #generation: number;

  private constructor(folder: string, generation: number) {
    this.#folder = folder;
    this.#generation = generation;
  }

  /** Acquires the folder unless a live process owns it. The folder is created when absent. */
  static take(folder: string, note = ''): LockResult {
    mkdirSync(folder, { recursive: true });
    for (;;) {
      const newest = listGenerations(folder).at(-1) ?? 0;
      const holder = newest === 0 ? undefined : readRecord(folder, newest);
      if (holder !== undefined && isSameProcess(holder.pid, holder.birth)) return { kind: 'held', owner: holder };
      if (!createGeneration(folder, newest + 1, note)) continue;
      const generations = listGenerations(folder);
      if (generations.at(-1) !== newest + 1) {
        rmSync(lockPath(folder, newest + 1), { force: true });
        continue;
      }
      for (const old of generations.slice(0, -1)) rmSync(lockPath(folder, old), { force: true });
      return { kind: 'owned', lock: new OwnerLock(folder, newest + 1) };
    }
  }

  /** Replaces the note that a second start shows. */
  describe(note: string): void {
    const draft = writeDraft(this.#folder, note);
    renameSync(draft, lockPath(this.#folder, this.#generation));
  }

  /** Releases the folder; the empty file stays to keep the count. */
  release(): void {
    writeFileSync(lockPath(this.#folder, this.#generation), '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}

function lockPath(folder: string, generation: number): string {
  return join(folder, `owner.${generation}.lock`);
}

function listGenerations(folder: string): number[] {
  return readdirSync(folder)
    .flatMap((name) => /^owner\.(\d+)\.lock$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** A record gets its final name only when it is complete: a torn record would read as released. */
function writeDraft(folder: string, note: string): string {
  const record: LockRecord = { pid: process.pid, birth: readProcessBirth(process.pid) ?? '', note };
  const draft = join(folder, `owner.draft-${process.pid}-${randomBytes(4).toString('hex')}`);
  writeFileSync(draft, JSON.stringify(record), { mode: 0o644 });
  return draft;
}

function createGeneration(folder: string, generation: number, note: string): boolean {
  const draft = writeDraft(folder, note);
  try {
    linkSync(draft, lockPath(folder, generation));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Undefined when the file is gone, released or torn by a power cut: then no process owns that generation. */
function readRecord(folder: string, generation: number): LockRecord | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(lockPath(folder, generation), 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('birth' in value) || !('note' in value))
      return undefined;
    const { pid, birth, note } = value;
    return typeof pid === 'number' && typeof birth === 'string' && typeof note === 'string'
      ? { pid, birth, note }
      : undefined;
  } catch {
    return undefined;
  }
}
