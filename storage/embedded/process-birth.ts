import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text that differs between two processes with the same id at different times (also across reboots).
 * Undefined when no such process lives.
 */
export function readProcessBirth(pid: number): string | undefined {
  if (!hasProcess(pid)) return undefined;
  if (process.platform === 'linux') return readLinuxBirth(pid);
  if (process.platform === 'win32') return '';
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Whether the process that once had this id and birth still lives. */
export function isSameProcess(pid: number, birth: string): boolean {
  return readProcessBirth(pid) === birth;
}

/** Whether a process with this id runs, including other users' processes; zombies do not count. */
export function isAlive(pid: number): boolean {
  return readProcessBirth(pid) !== undefined;
}

function hasProcess(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readLinuxBirth(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in parentheses, may hold spaces: fields are counted after it. State is field 3, start time 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19] ?? ''}`;
  } catch {
    return undefined;
  }
}
