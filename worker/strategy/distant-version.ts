import { type DeclaredIndicators, type Description, indicatorsSchema } from '#authoring/description.ts';
import { CELL } from '#authoring/moment.ts';
import type { StrategyVersion } from '#authoring/own-strategy.ts';
import type { Values } from '#authoring/schema.ts';
import { cellsOf } from '#authoring/series.ts';
import type { StrategyFile } from '#strategies/strategy.ts';
import { FileProcess, NoAnswer, NotAsked } from './file-process.ts';
import type { Reply } from './messages.ts';

const HOUR_MS = 3_600_000;
/** A version is put into quarantine after this many failed candles within an hour, or hangs within a day. */
const MOST_FAILURES = 3;
const MOST_HANGS = 2;

interface DistantInput {
  readonly hash: string;
  readonly description: Description;
  readonly declared: DeclaredIndicators;
  readonly file: StrategyFile;
  /** The sentence of a quarantine of an earlier run. */
  readonly quarantine: string | null;
  readonly onQuarantine: (sentence: string) => void;
  /** The file declared its indicators for settings. */
  readonly onDeclared?: (values: Values, declared: DeclaredIndicators) => void;
}

/** A version for live trading: its file runs in a process without keys, one for all coins of this worker. */
export class DistantVersion implements StrategyVersion {
  readonly hash: string;
  readonly description: Description;
  readonly file: StrategyFile;
  /** The file of the data folder is gone: positions are still guarded and sold, nothing is bought. */
  gone = false;
  #quarantine: string | null;
  readonly #input: DistantInput;
  readonly #declared = new Map<string, DeclaredIndicators>();
  #process: FileProcess | undefined;
  #starting: Promise<FileProcess> | undefined;
  #instances = 0;
  #closed = false;
  readonly #failures: number[] = [];
  readonly #hangs: number[] = [];

  constructor(input: DistantInput) {
    this.#input = input;
    this.hash = input.hash;
    this.description = input.description;
    this.file = input.file;
    this.#quarantine = input.quarantine;
  }

  halted(): { reason: 'strategy-quarantined' | 'strategy-file-gone'; problem: string } | null {
    if (this.#quarantine !== null) return { reason: 'strategy-quarantined', problem: this.#quarantine };
    return this.gone ? { reason: 'strategy-file-gone', problem: '' } : null;
  }

  /** The declared indicators for settings that `prepare` has sent, otherwise those of the defaults. */
  declare(values: Values): DeclaredIndicators {
    return this.#declared.get(JSON.stringify(values)) ?? this.#input.declared;
  }

  /** Fetches the indicators that the file declares. Never rejects. */
  async prepare(values: Values): Promise<void> {
    const key = JSON.stringify(values);
    if (this.#declared.has(key) || Object.keys(values).length === 0) return;
    try {
      const { declared } = await (await this.#running()).ask({ kind: 'declare', values });
      const parsed = indicatorsSchema.safeParse(declared);
      if (!parsed.success) return;
      this.#declared.set(key, parsed.data);
      this.#input.onDeclared?.(values, parsed.data);
    } catch (error) {
      if (error instanceof NotAsked && !this.#closed) return this.prepare(values);
      this.#fail(sentenceOf(error), true);
    }
  }

  open(values: Values, layout: string, memory: string) {
    this.#instances += 1;
    const instance = this.#instances;
    const cells = cellsOf(layout);
    const last = { memory, lines: '{}', problem: '' };
    let opened: FileProcess | undefined;
    const later = async (): Promise<void> => {
      const reply = await this.#answer(async (process) => {
        if (opened !== process) {
          await process.ask({ kind: 'open', instance, values, layout, memory: last.memory });
          opened = process;
        }
        return process.ask({ kind: 'step', instance, cells });
      });
      last.problem = reply.failed ?? reply.problem ?? '';
      const answered = reply.cells ?? cells;
      for (let at = CELL.entry; at < CELL.first; at += 1) cells[at] = answered[at] ?? Number.NaN;
      if (reply.failed !== undefined) cells[CELL.failed] = 1;
      else {
        last.memory = reply.memory ?? last.memory;
        last.lines = reply.lines ?? '{}';
      }
      if (cells[CELL.failed] === 1) this.#fail(last.problem, reply.hung === true);
    };
    return {
      ...{ cells, later },
      step: () => {},
      memory: () => last.memory,
      lines: () => last.lines,
      problem: () => last.problem,
    };
  }

  close(): void {
    this.#closed = true;
    this.#process?.close();
  }

  async #answer(ask: (process: FileProcess) => Promise<Reply>): Promise<Reply> {
    if (this.#quarantine !== null) return { number: 0, failed: this.#quarantine };
    try {
      return await ask(await this.#running());
    } catch (error) {
      if (error instanceof NotAsked && !this.#closed) return this.#answer(ask);
      return { number: 0, failed: sentenceOf(error), hung: error instanceof NoAnswer };
    }
  }

  async #running(): Promise<FileProcess> {
    if (this.#process?.ended === false) return this.#process;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<FileProcess> {
    if (this.#closed) throw new Error('The worker is being closed.');
    const started = new FileProcess();
    const { failed } = await started.ask({ kind: 'load', file: this.file }, true);
    if (failed !== undefined) throw new Error(failed);
    if (this.#closed) started.close();
    this.#process = started;
    return started;
  }

  #fail(sentence: string, hung: boolean): void {
    if (this.#quarantine !== null) return;
    const nowMs = Date.now();
    const list = hung ? this.#hangs : this.#failures;
    const spanMs = hung ? 24 * HOUR_MS : HOUR_MS;
    list.push(nowMs);
    while ((list[0] ?? nowMs) < nowMs - spanMs) list.shift();
    if (list.length < (hung ? MOST_HANGS : MOST_FAILURES)) return;
    this.#quarantine = sentence;
    this.#process?.close();
    this.#input.onQuarantine(sentence);
  }
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Loads a file in a process of its own, to read its declarations. The sentence of a refusal names file and line; with
 * `hung` there was no answer, and the next attempt may have one.
 */
export async function describeInProcess(
  file: StrategyFile,
): Promise<Pick<Reply, 'description' | 'declared' | 'failed' | 'hung'>> {
  const process = new FileProcess();
  try {
    return await process.ask({ kind: 'load', file }, true);
  } catch (error) {
    return { failed: `${file.name}: ${sentenceOf(error)}.`, hung: true };
  } finally {
    process.close();
  }
}
