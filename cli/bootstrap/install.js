import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockInstallation } from './install-lock.js';
import { runChild } from './run-child.js';

/**
 * Installs the packages of package-lock.json unless they are there. Rejects with a sentence when npm fails.
 * @param {string} root the checkout
 * @param {NodeJS.ProcessEnv} environment
 */
export async function installWhatIsMissing(root, environment) {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamped = readStamp(root) === wanted;
  if (isInstalled(root, stamped)) return stamped ? undefined : writeStamp(root, wanted);
  const unlock = await lockInstallation(root);
  try {
    // Another start may have finished while this one waited.
    if (!isInstalled(root, readStamp(root) === wanted)) {
      console.log('Installing what is missing (once, about a minute)…');
      await install(root, environment);
    }
    writeStamp(root, wanted);
  } finally {
    unlock();
  }
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
    // A checkout that another user installed is complete without our mark; looking again costs a few milliseconds.
  }
}

/**
 * Compares what npm says it installed with what the lockfile wants. Packages of other platforms may be absent, and with our
 * stamp any optional one: npm was content without it, and would be again.
 * @param {string} root
 * @param {boolean} stamped
 */
function isInstalled(root, stamped) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const there = installed[path];
    if (there === undefined) return entry.optional === true && (stamped || !isForThisMachine(entry));
    return there.version === entry.version && existsSync(join(root, path, 'package.json'));
  });
}

/** @param {{ os?: string[], cpu?: string[], libc?: string[] }} entry */
function isForThisMachine(entry) {
  // Which C library runs here is npm's to know: a package that names one may be absent.
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

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} environment
 */
async function install(root, environment) {
  let attempt = await runNpm(root, environment);
  if (attempt.code !== 0 && attempt.code < 128 && existsSync(join(root, 'node_modules'))) {
    // An installation that was interrupted can leave folders that npm stumbles over.
    rmSync(join(root, 'node_modules'), { recursive: true, force: true });
    attempt = await runNpm(root, environment);
  }
  if (attempt.code >= 128) throw new Error('The installation was interrupted.');
  if (attempt.code === 0 && isInstalled(root, true)) return;
  // npm says what is wrong first and how its commands are used last.
  const reason = attempt.complaints.trim().split('\n').slice(0, 8).join('\n');
  throw new Error(`npm could not install the packages (is the registry reachable, is ${root} writable?):\n${reason}`);
}

/**
 * Install scripts stay off. Development packages are needed too: the web app is built here.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} environment
 */
async function runNpm(root, environment) {
  const command = isLockfileWhole(root) ? ['ci'] : ['install', '--no-save'];
  const flags = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--include=dev',
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
 * `npm ci` refuses a lockfile that lacks the packages of some other platform, as one is that was written while a registry
 * did not have them yet. `npm install --no-save` takes the same versions and digests from it and changes nothing.
 * @param {string} root
 */
function isLockfileWhole(root) {
  const packages = readPackages(join(root, 'package-lock.json')) ?? {};
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.values(packages).every(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).every((name) => names.has(name)),
  );
}
