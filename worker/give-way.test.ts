import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { until } from '#storage/test-outage.ts';

/** A field of each thread of this process, counted as proc(5) does. */
const fieldOfThreads = (number: number): number[] =>
  readdirSync('/proc/self/task').map((id) => {
    const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[number - 3]);
  });
const niceness = (): number[] => fieldOfThreads(19);
const idleThreads = (): number => fieldOfThreads(41).filter((policy) => policy === SCHED_IDLE).length;
const SCHED_IDLE = 5;
const hasChrt = spawnSync('chrt', ['--version']).status === 0;

const skip = process.platform === 'linux' ? false : 'only Linux gives threads a priority of their own';

for (const [haste, nice, idle] of [
  ['awaited', 5, 0],
  ['unattended', 19, 1],
] as const) {
  test(`a thread whose work is ${haste} gives way, and no other thread does`, { skip }, async () => {
    const [own, before] = [getPriority(), niceness()];
    assert.ok(!before.includes(nice));
    const code = `import { parentPort } from 'node:worker_threads';
      import { giveWay } from ${JSON.stringify(import.meta.resolve('./give-way.ts'))};
      giveWay('${haste}');
      parentPort.on('message', () => {});
      parentPort.postMessage('gave way');`;
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
    try {
      await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
      assert.equal(niceness().filter((each) => each === nice).length, 1);
      assert.equal(getPriority(), own);
      if (hasChrt) await until('the class of the thread', () => idleThreads() === idle);
    } finally {
      await thread.terminate();
    }
  });
}
