import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { newId } from '#core/ids.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/harness/test-outage.ts';
import { createSweepProcess, type StageStart } from './sweep-process.ts';

const never = new AbortController().signal;
let base: TestDatabase;
before(async () => void (base = await openTestDatabase()));
after(() => base[Symbol.asyncDispose]());

/** A sweep that does not exist: there is nothing to do for it. */
const nothing = (): StageStart => ({ kind: 'stage', databaseUrl: base.url, sweepId: newId<string>(), warnings: [] });
const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** Processes that `parent` has started and that run the program of sweeps. */
function sweepsOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return Number(stat[1]) === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sweep-program');
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
}

/** The scheduling class of each thread; field 41 of proc(5). */
const classesOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).map((id) => {
    const fields = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[41 - 3]);
  });
const SCHED_IDLE = 5;

const onLinux = process.platform === 'linux' ? false : 'processes are looked at in /proc, which only Linux has';
const withChrt = isThere('chrt') ? onLinux : 'there is no chrt on this machine, which starts what yields to all else';
const withSetpriv = isThere('setpriv') ? withChrt : 'there is no setpriv on this machine, which ties two processes';

test('every thread of the process runs in the idle class', { skip: withChrt }, async () => {
  await using sweeps = createSweepProcess();
  await sweeps.carryOut(nothing(), never);
  const [pid = 0] = sweepsOf(process.pid);
  const classes = classesOf(pid);
  assert.ok(classes.length > 4, 'what compiles and collects is there too');
  assert.deepEqual(new Set(classes), new Set([SCHED_IDLE]));
});

test('one process runs one task after the other and ends with its owner', { skip: onLinux }, async () => {
  const before = sweepsOf(process.pid).length;
  const sweeps = createSweepProcess();
  await Promise.all([sweeps.carryOut(nothing(), never), sweeps.carryOut(nothing(), never)]);
  assert.equal(sweepsOf(process.pid).length, before + 1);
  await sweeps[Symbol.asyncDispose]();
  assert.equal(sweepsOf(process.pid).length, before);
  await assert.rejects(sweeps.carryOut(nothing(), never), /being closed/);
});

test('a failure is reported without bound values, an aborted task ends at once, and the next task still runs', async () => {
  await using sweeps = createSweepProcess();
  const nowhere = new URL(base.url);
  nowhere.pathname = '/there_is_none';
  const failing = sweeps.carryOut({ ...nothing(), databaseUrl: nowhere.href }, never);
  await assert.rejects(failing, (error: Error) => !error.message.includes(nowhere.password));
  const abort = new AbortController();
  const aborted = sweeps.carryOut(nothing(), abort.signal);
  abort.abort(new Error('stopped by the operator'));
  await assert.rejects(aborted, /stopped by the operator/);
  await sweeps.carryOut(nothing(), never);
});

test('it ends with a killed worker, even while it computes', { skip: withSetpriv }, async () => {
  const code = `import { createSweepProcess } from ${JSON.stringify(import.meta.resolve('./sweep-process.ts'))};
    await createSweepProcess().carryOut(${JSON.stringify(nothing())}, new AbortController().signal);
    process.stdout.write('ready');
    setInterval(() => {}, 1_000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => owner.stdout.once('data', resolve));
  const [pid = 0] = sweepsOf(owner.pid ?? 0);
  // A process that is stopped, like one that computes, does not notice the closed channel.
  process.kill(pid, 'SIGSTOP');
  owner.kill('SIGKILL');
  await until('the process of sweeps to be gone', () => (stateOf(pid) ?? 'Z') === 'Z');
});

/** The state letter of proc(5): `Z` has ended and is not yet reaped; undefined when there is no such process. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
  } catch {
    return undefined;
  }
}
