import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** Numbers that no distribution gives to accounts, services or containers (systemd's "Users, Groups, UIDs and GIDs"). */
const [FIRST, LAST] = [60_578, 61_183];

export const isOwnUser = (uid: number): boolean => uid >= FIRST && uid <= LAST;

/** A number without an account, a group or a process: nothing else on this machine can be this user. */
export function chooseOwnUser(): RunAs {
  const running = runningUsers();
  for (let tries = 0; tries < 100; tries += 1) {
    const uid = randomInt(FIRST, LAST + 1);
    if (!running.has(uid) && !isListed('passwd', uid) && !isListed('group', uid)) return { uid, gid: uid };
  }
  throw new Error(
    'PostgreSQL cannot run as root, and no free user number was found for it: start as another user, or set DATABASE_URL.',
  );
}

/** The account whose name initdb can look up; it refuses a user without one. */
export function unprivilegedUser(): RunAs {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'PostgreSQL cannot run as root and this machine has no user "nobody": start as another user, or set DATABASE_URL.',
    );
  }
  return { uid: Number(uid), gid: Number(gid) };
}

/** Includes network accounts (getent); a system without getent is checked through its own file. */
function isListed(database: 'passwd' | 'group', id: number): boolean {
  const text = readFileSync(`/etc/${database}`, 'utf8');
  if (text.split('\n').some((line) => line.split(':')[2] === String(id))) return true;
  try {
    execFileSync('getent', [database, String(id)], { stdio: 'ignore', timeout: 2000 });
    return true;
  } catch {
    return false;
  }
}

function runningUsers(): Set<number> {
  if (!existsSync('/proc/self')) return new Set();
  const users = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statSync(join('/proc', name), { throwIfNoEntry: false })?.uid ?? []);
  return new Set(users);
}
