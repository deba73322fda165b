import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** No installation takes longer; an older lock was left by a machine that went down. */
const longestInstallMs = 20 * 60_000;

/**
 * Waits until no other process installs into this checkout, then keeps others out. Returns the way to let them in again.
 * It shares nothing with the lock of the data folder: it runs before packages are there, and where Node reads no TypeScript.
 * @param {string} root
 * @returns {Promise<() => void>}
 */
export async function lockInstallation(root) {
  const folder = join(root, '.tradewind-installing');
  for (let told = false; ; ) {
    if (tryCreate(folder)) return () => rmSync(folder, { recursive: true, force: true });
    const holder = readHolder(folder);
    if (isAbandoned(folder, holder)) {
      removeAbandoned(folder, holder);
      continue;
    }
    if (!told) console.log('Another start is installing the packages; waiting for it…');
    told = true;
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
 * Moves the lock aside before deleting it, and puts it back when it turns out to be a newer, living one.
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
    // Somebody else was quicker.
  }
}
