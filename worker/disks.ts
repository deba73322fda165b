import { stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type NotifyDeps, notifyAccount } from './notify.ts';

/** Free bytes below which the operator is notified, and from which a later lack is a new one. */
const [LOW_BYTES, ENOUGH_BYTES] = [1e9, 1.5e9];
const CHECK_EVERY_MS = 60_000;

interface Disk {
  /** The folder, or its nearest parent that exists. */
  readonly folder: string;
  /** Folders of one disk share it. */
  readonly device: number;
  /** Bytes that this process may still write. */
  readonly freeBytes: number;
}

/** The disks of the given folders, each once; a folder that cannot be read is left out. */
export async function readDisks(folders: readonly string[]): Promise<Disk[]> {
  const disks = new Map<number, Disk>();
  for (const folder of folders) {
    const disk = await readDisk(resolve(folder));
    if (disk !== undefined && !disks.has(disk.device)) disks.set(disk.device, disk);
  }
  return [...disks.values()];
}

async function readDisk(folder: string): Promise<Disk | undefined> {
  try {
    const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
    return { folder, device: dev, freeBytes: bavail * bsize };
  } catch {
    return dirname(folder) === folder ? undefined : readDisk(dirname(folder));
  }
}

/** Notifies the operator once when a disk is nearly full, and again only after there was enough room in between. */
export class DiskWatch {
  readonly #folders: readonly string[];
  readonly #deps: NotifyDeps;
  readonly #limits: readonly [low: number, enough: number];
  readonly #low = new Set<number>();

  constructor(folders: readonly string[], deps: NotifyDeps, limits = [LOW_BYTES, ENOUGH_BYTES] as const) {
    this.#folders = folders;
    this.#deps = deps;
    this.#limits = limits;
  }

  /** Rejects when the message cannot be queued; the next check tries again. */
  async check(): Promise<void> {
    const [low, enough] = this.#limits;
    for (const { device, folder, freeBytes } of await readDisks(this.#folders)) {
      if (freeBytes >= enough) this.#low.delete(device);
      if (freeBytes >= low || this.#low.has(device)) continue;
      this.#low.add(device);
      const title = `The disk of ${folder} has ${Math.floor(freeBytes / 1e6)} MB free`;
      this.#deps.log.warn({ event: 'disk_low', folder, freeBytes }, title);
      const text =
        'Free some space. Once it is full, nothing is stored and no order is placed; the stops on the exchange stay.';
      await notifyAccount(this.#deps, null, { event: 'disk-low', title, text }).catch((error: unknown) => {
        this.#low.delete(device);
        throw error;
      });
    }
  }
}

/** Checks the disks of the folders now and every minute, until disposed. */
export function watchDisks(folders: readonly string[], deps: NotifyDeps): Disposable {
  const watch = new DiskWatch(folders, deps);
  const check = (): void =>
    void watch
      .check()
      .catch((err: unknown) =>
        deps.log.warn({ event: 'notification_lost', err }, 'The message about a nearly full disk could not be queued'),
      );
  check();
  const timer = setInterval(check, CHECK_EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
