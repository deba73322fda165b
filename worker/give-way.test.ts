import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** How nice each thread of this process is. */
const niceness = (): number[] =>
  readdirSync('/proc/self/task').map((id) => {
    const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[16]);
  });

const skip = process.platform === 'linux' ? false : 'only Linux gives threads a priority of their own';

test('a thread that gives way is the only one that does', { skip }, async () => {
  const [own, before] = [getPriority(), niceness()];
  assert.ok(!before.includes(19));
  const code = `import { parentPort } from 'node:worker_threads';
    import { giveWay } from ${JSON.stringify(import.meta.resolve('./give-way.ts'))};
    giveWay();
    parentPort.on('message', () => {});
    parentPort.postMessage('gave way');`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  try {
    await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
    assert.equal(niceness().filter((nice) => nice === 19).length, 1);
    assert.equal(getPriority(), own);
  } finally {
    await thread.terminate();
  }
});
