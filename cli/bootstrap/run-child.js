import { spawn } from 'node:child_process';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program in place of this process: forwards signals and resolves with its exit code.
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { env: NodeJS.ProcessEnv, onStderr?: (text: string) => void }} options
 * @returns {Promise<number>}
 */
export function runChild(program, args, { onStderr, ...options }) {
  const child = spawn(program, args, options);
  if (onStderr) child.stderr?.on('data', (chunk) => onStderr(String(chunk)));
  const forward = (signal) => child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  const stopWatching = watchParent(options.env, () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? exitCodeOf(signal)));
  }).finally(() => {
    for (const signal of forwarded) process.off(signal, forward);
    stopWatching();
  });
}

/** The shell's convention for a program that a signal ended. */
function exitCodeOf(signal) {
  return { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 }[signal] ?? 1;
}

/**
 * npm dies of SIGTERM without notifying its script, so under npm a changed parent means: stop.
 * Elsewhere a parent may exit on purpose (`tradewind start &` in a script).
 * @param {NodeJS.ProcessEnv} environment
 * @param {() => void} onOrphaned
 */
function watchParent(environment, onOrphaned) {
  if (environment.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onOrphaned();
  }, 300);
  return () => clearInterval(timer);
}
