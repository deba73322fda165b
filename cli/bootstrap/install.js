import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockInstallation } from './install-lock.js';
import { runChild } from './run-child.js';

/** Free space in MB that the packages take. */
const packagesMb = 800;

/**
 * @typedef {object} Installation
 * @property {string} root the checkout
 * @property {NodeJS.ProcessEnv} environment
 * @property {boolean} tools whether the tools of the development are wanted too
 */

/**
 * Installs the missing packages of package-lock.json. Rejects with a sentence when npm fails, or when they have no room.
 * @param {Installation} installation
 */
export async function installWhatIsMissing(installation) {
  const { root } = installation;
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamped = readStamp(root) === wanted;
  if (isInstalled(installation, stamped)) return stamped ? undefined : writeStamp(root, wanted);
  const unlock = await lockInstallation(root);
  try {
    // Another start may have finished while this one waited.
    if (!isInstalled(installation, readStamp(root) === wanted)) {
      requireSpace(root);
      console.log('Installing missing packages (once, about a minute)…');
      await install(installation);
    }
    writeStamp(root, wanted);
  } finally {
    unlock();
  }
}

/** @param {string} root */
function requireSpace(root) {
  const { bavail, bsize } = statfsSync(root);
  const freeMb = Math.floor((bavail * bsize) / 1e6);
  if (freeMb < packagesMb)
    throw new Error(
      `The packages need ${packagesMb} MB, but the disk of ${root} has ${freeMb} MB free: free some space.`,
    );
}

/** @param {string} root */
function stampPath(root) {
  return join(root, 'node_modules', '.tradewind-stamp');
}

/** @param {string} root */
function readStamp(root) {
  const path = stampPath(root);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

/**
 * @param {string} root
 * @param {string} digest
 */
function writeStamp(root, digest) {
  try {
    writeFileSync(stampPath(root), `${digest}\n`);
  } catch {
    // A checkout that another user installed is complete without our stamp. Checking it again costs a few milliseconds.
  }
}

/**
 * Compares the installed packages with the lockfile. Packages of other platforms may be absent. With our stamp, any
 * optional package may be absent, because npm succeeded without it.
 * @param {Installation} installation
 * @param {boolean} stamped
 */
function isInstalled({ root, tools }, stamped) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (entry.dev === true && !tools)) return true;
    const there = installed[path];
    if (there === undefined) return entry.optional === true && (stamped || !isForThisMachine(entry));
    return there.version === entry.version && existsSync(join(root, path, 'package.json'));
  });
}

/** @param {{ os?: string[], cpu?: string[], libc?: string[] }} entry */
function isForThisMachine(entry) {
  // Only npm knows the C library of this machine: a package that names one may be absent.
  if (entry.libc !== undefined || (entry.os === undefined && entry.cpu === undefined)) return false;
  const fits = (list, value) => list === undefined || list.includes(value);
  return fits(entry.os, process.platform) && fits(entry.cpu, process.arch);
}

/** @param {string} path */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** @param {Installation} installation */
async function install(installation) {
  const { root } = installation;
  let attempt = await runNpm(installation);
  if (attempt.code !== 0 && attempt.code < 128 && existsSync(join(root, 'node_modules'))) {
    // An interrupted installation can leave folders that make npm fail.
    rmSync(join(root, 'node_modules'), { recursive: true, force: true });
    attempt = await runNpm(installation);
  }
  if (attempt.code >= 128) throw new Error('The installation was interrupted.');
  if (attempt.code === 0 && isInstalled(installation, true)) return;
  // npm prints the cause first and its usage last.
  const reason = attempt.complaints.trim().split('\n').slice(0, 8).join('\n');
  throw new Error(`npm could not install the packages (is the registry reachable, is ${root} writable?):\n${reason}`);
}

/**
 * Install scripts stay off. `npm ci` deletes what is there first, so tools are added without it: the service may be running.
 * @param {Installation} installation
 */
async function runNpm({ root, environment, tools }) {
  const adds = tools && isInstalled({ root, environment, tools: false }, true);
  const command = isLockfileWhole(root) && !adds ? ['ci'] : ['install', '--no-save'];
  const flags = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    tools ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--loglevel=error',
  ];
  const npm = environment.npm_execpath ?? '';
  const [program, first] = npm.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  let complaints = '';
  const code = await runChild(program, [...first, ...command, ...flags], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: program === 'npm' && process.platform === 'win32',
    onStderr: (text) => {
      complaints = (complaints + text).slice(0, 8000);
    },
  });
  return { code, complaints };
}

/**
 * `npm ci` refuses a lockfile without the packages of some other platform, which happens when the registry did not have
 * them yet. `npm install --no-save` installs the same versions and digests and does not change the lockfile.
 * @param {string} root
 */
function isLockfileWhole(root) {
  const packages = readPackages(join(root, 'package-lock.json')) ?? {};
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.values(packages).every(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).every((name) => names.has(name)),
  );
}
