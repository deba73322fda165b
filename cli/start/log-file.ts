import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

interface LogFileLimits {
  /** Beyond this size the file becomes name.1, name.1 becomes name.2 and so on. */
  readonly maxBytes: number;
  readonly keep: number;
}

const usual: LogFileLimits = { maxBytes: 5_000_000, keep: 3 };

/** Log file of one process with a size limit. */
export class LogFile implements Disposable {
  readonly #path: string;
  readonly #limits: LogFileLimits;
  #file: number;
  #bytes: number;

  constructor(path: string, limits: LogFileLimits = usual) {
    this.#path = path;
    this.#limits = limits;
    this.#file = openSync(path, 'a', 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  /** A full disk loses log lines, never the service. */
  append(line: string): void {
    const text = `${line}\n`;
    try {
      writeSync(this.#file, text);
      this.#bytes += Buffer.byteLength(text);
      if (this.#bytes > this.#limits.maxBytes) this.#rotate();
    } catch {
      return;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    for (let number = this.#limits.keep - 1; number >= 1; number -= 1) {
      if (existsSync(`${this.#path}.${number}`)) renameSync(`${this.#path}.${number}`, `${this.#path}.${number + 1}`);
    }
    renameSync(this.#path, `${this.#path}.1`);
    const next = openSync(this.#path, 'a', 0o600);
    closeSync(this.#file);
    this.#file = next;
    this.#bytes = 0;
  }
}
