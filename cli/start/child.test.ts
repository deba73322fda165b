import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { until } from '#test/flow/until.ts';
import { SupervisedChild } from './child.ts';
import { Terminal } from './terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-child-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

class SilentTerminal extends Terminal {
  readonly reported: string[] = [];
  override trouble(name: string, text: string): void {
    this.reported.push(`${name} ${text}`);
  }
}

function startChild(main: string, terminal = new SilentTerminal()): SupervisedChild {
  const path = join(folder, 'main.ts');
  writeFileSync(path, main);
  const plan = {
    name: 'worker',
    main: path,
    args: [join(folder, 'mark')],
    environment: { MARK: 'set' },
    stopLimitMs: 500,
  };
  return new SupervisedChild({ ...plan, logPath: join(folder, 'worker.log') }, terminal);
}

test('is ready when it says so, and its output is kept', async () => {
  const child = startChild(
    `console.log(process.env.MARK); process.send({ ready: true }); process.on('SIGTERM', () => process.exit(0));`,
  );
  await child.ready();
  await child[Symbol.asyncDispose]();
  assert.equal(readFileSync(join(folder, 'worker.log'), 'utf8'), 'set\n');
});

test('a crash is reported and followed by a new start', async () => {
  const terminal = new SilentTerminal();
  const child = startChild(
    `import { existsSync, writeFileSync } from 'node:fs';
const mark = process.argv[2];
if (!existsSync(mark)) { writeFileSync(mark, ''); console.error('Something broke.'); process.exit(3); }
process.send({ ready: true });
setInterval(() => undefined, 1000);`,
    terminal,
  );
  await child.ready();
  await child[Symbol.asyncDispose]();
  assert.deepEqual(terminal.reported, ['worker ended with code 3 (Something broke.); restarting after 0.25 s.']);
});

test('a greeting during a restart reaches only the process that starts then', async () => {
  const mark = join(folder, 'mark');
  await using child = startChild(
    `import { appendFileSync } from 'node:fs';
const mark = process.argv[2];
process.on('message', ({ market }) => appendFileSync(mark, process.env.MARK + ' ' + market + '\\n'));
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 500));
process.send({ ready: true });`,
  );
  await child.ready();
  child.restartWith({ MARK: 'next' });
  child.greet({ market: 'other' });
  await until('a greeting', () => existsSync(mark) && readFileSync(mark, 'utf8') !== '');
  assert.equal(readFileSync(mark, 'utf8'), 'next other\n');
});

test('a bad configuration ends the start with the sentence that the child wrote', async () => {
  await using child = startChild(`console.error('PORT is "x", but must be a number.'); process.exit(78);`);
  await assert.rejects(child.ready(), { name: 'StartProblem', message: 'PORT is "x", but must be a number.' });
});

test('a child that crashes again and again before it is ready is given up', async () => {
  const child = startChild(`throw new Error('No such thing');`);
  await assert.rejects(
    child.ready(),
    /The worker does not start: it ended with code 1 \(Error: No such thing\); see .*worker\.log/,
  );
  await child[Symbol.asyncDispose]();
});

test('a child that does not stop is ended by force, and what waits for it hears of it', async () => {
  const child = startChild(
    `import { writeFileSync } from 'node:fs';
process.on('SIGTERM', () => undefined);
writeFileSync(process.argv[2], '');
setInterval(() => undefined, 1000);`,
  );
  const waiting = assert.rejects(child.ready(), /was stopped before it was ready/);
  while (!existsSync(join(folder, 'mark'))) await new Promise((resolve) => setImmediate(resolve));
  await child[Symbol.asyncDispose]();
  await waiting;
});
