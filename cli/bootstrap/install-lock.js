import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** No installation takes longer. An older lock is left over from a crash. */
const longestInstallMs = 20 * 60_000;

/**
 * Waits until no other process installs into this checkout, then takes the lock. Returns the function that releases it.
 * It does not share code with the lock of the data folder, because it runs before the packages and without TypeScript.
 * @param {string} root
 * @returns {Promise<() => void>}
 */
export async function lockInstallation(root) {
  const folder = join(root, '.tradewind-installing');
  for (let waiting = false; ; ) {
    if (tryCreate(folder)) return () => rmSync(folder, { recursive: true, force: true });
    const holder = readHolder(folder);
    if (isAbandoned(folder, holder)) {
      removeAbandoned(folder, holder);
      continue;
    }
    if (!waiting) console.log('Another start is installing the packages; waiting for it…');
    waiting = true;
    await sleep(200);
  }
}

/** @param {string} folder */
function tryCreate(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new Error(`The packages cannot be installed: ${error.message}.`);
  }
  writeFileSync(join(folder, 'pid'), String(process.pid));
  return true;
}

/**
 * @param {string} folder
 * @returns {number | undefined} the installing process; undefined for the moment before it has written its number
 */
function readHolder(folder) {
  try {
    return Number(readFileSync(join(folder, 'pid'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder
 * @param {number | undefined} holder
 */
function isAbandoned(folder, holder) {
  try {
    const ageMs = Date.now() - statSync(folder).mtimeMs;
    if (holder === undefined) return ageMs > 5000;
    return ageMs > longestInstallMs || !isAlive(holder);
  } catch {
    return false;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Renames the lock before deleting it, and restores it when it is a newer lock of a live process.
 * @param {string} folder
 * @param {number | undefined} holder
 */
function removeAbandoned(folder, holder) {
  const aside = `${folder}.${process.pid}`;
  try {
    renameSync(folder, aside);
    if (readHolder(aside) === holder) rmSync(aside, { recursive: true, force: true });
    else renameSync(aside, folder);
  } catch {
    // Another process was faster.
  }
}
