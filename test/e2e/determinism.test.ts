// The same candles give the same bytes everywhere: in Node and in Chromium, alone and on two threads at once.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';
import { openBrowser } from './browser.ts';
import { fingerprints } from './fingerprints.ts';

const ENTRY = join(import.meta.dirname, 'fingerprints.ts');

/** The kernel as the build of the web app delivers it: one script that leaves `prints` behind. */
async function bundle(): Promise<string> {
  const built = await build({
    ...{ configFile: false, logLevel: 'silent' },
    build: { write: false, lib: { entry: ENTRY, formats: ['iife'], name: 'prints', fileName: 'prints' } },
  });
  const [output] = Array.isArray(built) ? built : [built];
  assert.ok(output !== undefined && 'output' in output);
  return output.output[0].code;
}

function inThread(): Promise<unknown> {
  const script = `import(${JSON.stringify(ENTRY)}).then(({ fingerprints }) => require('node:worker_threads').parentPort.postMessage(fingerprints()))`;
  const thread = new Worker(script, { eval: true });
  return new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
}

test('backtests and sweeps have one fingerprint in Node and in Chromium, on one thread and on two', async () => {
  const expected = fingerprints();
  for (const print of expected.slice(0, 2)) assert.match(print, /^[0-9a-f]{64} of [1-9][0-9]+ fills$/);
  assert.deepEqual(await Promise.all([inThread(), inThread()]), [expected, expected]);
  const script = await bundle();
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto('about:blank');
    const inPage: unknown = await page.evaluate(`${script}; prints.fingerprints()`);
    assert.deepEqual(inPage, expected);
    const inWorkers: unknown = await page.evaluate(`(() => {
      const url = URL.createObjectURL(new Blob([${JSON.stringify(`${script}; postMessage(prints.fingerprints())`)}]));
      const one = () => new Promise((resolve, reject) => {
        const worker = new Worker(url);
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
      });
      return Promise.all([one(), one()]);
    })()`);
    assert.deepEqual(inWorkers, [expected, expected]);
  } finally {
    await browser.close();
  }
});
