import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const NICE = 5;

/** Nice value of each thread of this process: field 19 of proc(5). */
const niceness = (): number[] =>
  readdirSync('/proc/self/task').map((id) => {
    const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[19 - 3]);
  });

const skip = process.platform === 'linux' ? false : 'only Linux gives threads a priority of their own';

test('a thread lowers its priority, and no other thread changes', { skip }, async () => {
  const [own, before] = [getPriority(), niceness()];
  assert.ok(!before.includes(NICE));
  const code = `import { parentPort } from 'node:worker_threads';
    import { lowerPriority } from ${JSON.stringify(import.meta.resolve('./lower-priority.ts'))};
    lowerPriority();
    parentPort.on('message', () => {});
    parentPort.postMessage('gave way');`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  try {
    await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
    assert.equal(niceness().filter((each) => each === NICE).length, 1);
    assert.equal(getPriority(), own);
  } finally {
    await thread.terminate();
  }
});
