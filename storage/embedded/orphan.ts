import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './process-birth.ts';

/**
 * Stops the server that a killed supervisor left running on this cluster.
 * The caller holds the owner lock, so a server that runs here has no owner.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (!isAlive(pid)) return;
  if (!isServerOf(pid, cluster)) {
    // Another process has the id now; the server would take it for a running server and refuse to start.
    rmSync(pidFile, { force: true });
    return;
  }
  // Fast shutdown, then immediate (recovers on start), then SIGKILL.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    process.kill(pid, signal);
    if (await isGoneWithin(pid, 5000)) return;
  }
  throw new Error(
    `An earlier PostgreSQL (process ${pid}) still runs in ${cluster} and cannot be stopped: end it and start again.`,
  );
}

/** By its command line, which names the cluster: the process id alone may belong to another process now. */
function isServerOf(pid: number, cluster: string): boolean {
  const [program = '', ...args] = readCommandLine(pid);
  return basename(program).startsWith('postgres') && args.includes(cluster);
}

function readCommandLine(pid: number): string[] {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(' ');
  } catch {
    return [];
  }
}

async function isGoneWithin(pid: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    if (!isAlive(pid)) return true;
    await sleep(20);
  }
  return !isAlive(pid);
}
