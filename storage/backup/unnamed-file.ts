import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders of uploads that earlier versions left when their process was killed. */
const OLD_UPLOAD = /^tradewind-backup-[A-Za-z0-9]{6}$/;
const ABANDONED_MS = 24 * 3_600_000;

/**
 * An open file without a name: the system removes it, with its plaintext keys, when the process ends for any reason. It is
 * in `folder`, which may have more space than a temporary folder in memory.
 */
export async function openUnnamedFile(folder: string | undefined): Promise<FileHandle> {
  const [path, file] = await openIn(folder ?? tmpdir()).catch(() => openIn(tmpdir()));
  try {
    await rm(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openIn(folder: string): Promise<readonly [string, FileHandle]> {
  const path = join(folder, `transfer-${randomBytes(8).toString('hex')}`);
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  return [path, await open(path, 'wx+', 0o600)];
}

/** Removes uploads of earlier versions; a folder younger than a day may still be in use. */
export async function removeAbandonedUploads(now: Date, folder = tmpdir()): Promise<void> {
  for (const name of (await readdir(folder).catch(() => [])).filter((entry) => OLD_UPLOAD.test(entry))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    const own = found?.uid === (process.getuid?.() ?? found?.uid);
    if (found !== undefined && own && now.getTime() - found.mtimeMs > ABANDONED_MS)
      await rm(path, { recursive: true, force: true });
  }
}
