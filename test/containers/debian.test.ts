import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { status } from '#api/contract/session.ts';
import { until } from '#test/flow/until.ts';
import { fencedBlocks } from '#test/harness/fenced.ts';
import { provideDebian } from './base-images.ts';
import { must, run } from './command.ts';
import { ADDRESS, ENGINE_ENV, startEngine } from './engine.ts';
import { fills, type Operator, order, signUpAt } from './operator.ts';
import { reasonToSkip } from './provided.ts';
import { checkOut } from './stack.ts';

const NAME = 'tradewind-debian';
const UNITS = ['tradewind-paper', 'tradewind-api', 'tradewind-worker'];

/** Rights with which systemd protects its units: mounts of their own, and its part of the control groups. */
const MAY = ['--cap-add=SYS_ADMIN', '--security-opt=seccomp=unconfined', '--security-opt=apparmor=unconfined'];
const MOUNTS = [
  ...['--cgroupns=host', '--volume=/sys/fs/cgroup:/sys/fs/cgroup:rw'],
  ...['--tmpfs=/run', '--tmpfs=/run/lock', '--tmpfs=/tmp:exec'],
];

const resources = new AsyncDisposableStack();
let url = '';
let operator: Operator;
const docker = (...args: readonly string[]): Promise<string> => must(['docker', ...args], { env: ENGINE_ENV });
/** Types a text as root into the checkout of the server. */
const typed = (text: string): Promise<string> =>
  docker('exec', '--workdir', '/opt/tradewind', NAME, 'bash', '-euo', 'pipefail', '-c', text);

const address = async (): Promise<string> => `http://${await docker('inspect', '--format', ADDRESS, NAME)}`;

const stateOf = async (unit: string): Promise<string> => {
  const words = ['docker', 'exec', NAME, 'systemctl', 'is-active', unit];
  return (await run(words, { env: ENGINE_ENV })).output.trim();
};

/** systemd as the first process of a container, with the files of the checkout in /opt/tradewind. */
async function startServer(image: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-debian-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  await checkOut('HEAD', join(folder, 'tradewind'));
  await docker('run', '--detach', '--name', NAME, ...MAY, ...MOUNTS, image);
  await docker('cp', join(folder, 'tradewind'), `${NAME}:/opt/tradewind`);
  await until('systemd to be up', async () => (await stateOf('multi-user.target')) === 'active');
  url = await address();
}

const skip = await reasonToSkip('a server with systemd', async () => {
  resources.use(await startEngine());
  await startServer(await provideDebian());
});
const options = { skip, timeout: 600_000 };
after(() => resources.disposeAsync(), { timeout: 120_000 });

async function assertAllRun(): Promise<void> {
  await until('every unit to run', async () =>
    (await Promise.all(UNITS.map(stateOf))).every((state) => state === 'active'),
  );
}

test(
  'the commands of docs/operator/deploy.md, typed as they are into a bare Debian, end in a trade',
  options,
  async () => {
    await docker('exec', NAME, 'apt-get', 'update', '-qq');
    const blocks = fencedBlocks('docs/operator/deploy.md').filter(
      ({ needs, text }) => needs === 'a server with systemd' || text.startsWith('npm run build:web'),
    );
    assert.equal(blocks.length, 3);
    for (const { text } of blocks) await typed(text);
    await assertAllRun();
    operator = await signUpAt(url);
    await order(operator, { side: 'buy', quoteAmount: '100' });
    await until('the purchase to be recorded', async () => (await fills(operator)) > 0);
  },
);

test('systemd finds no fault in the units', options, async () => {
  const output = await typed(
    `systemd-analyze verify ${UNITS.map((unit) => `/etc/systemd/system/${unit}.service`).join(' ')}`,
  );
  assert.doesNotMatch(output, /tradewind/);
});

test('a worker that is killed ten times in a row is started again and trades', options, async () => {
  const before = await fills(operator);
  for (let i = 0; i < 10; i++) {
    await typed('systemctl kill --signal=KILL tradewind-worker');
    await until('the worker to be started again', async () =>
      /^[1-9]/.test(await typed('systemctl show --property=MainPID --value tradewind-worker')),
    );
  }
  await order(operator, { side: 'buy', quoteAmount: '20' });
  await until('the purchase to be recorded', async () => (await fills(operator)) > before);
});

test('after a restart of the server every unit runs and the worker trades', options, async () => {
  const before = await fills(operator);
  await docker('restart', '--time', '30', NAME);
  url = await address();
  await assertAllRun();
  await order(operator, { side: 'buy', quoteAmount: '20' });
  await until('the purchase to be recorded', async () => (await fills(operator)) > before);
});

test('a worker that starts before the api is not lost by a database that is not migrated', options, async () => {
  await typed('systemctl stop tradewind-worker tradewind-api');
  await typed(
    `runuser -u postgres -- psql -c 'drop database tradewind' -c 'create database tradewind owner tradewind'`,
  );
  await typed(`mkdir -p /etc/systemd/system/tradewind-api.service.d
    printf '[Service]\\nExecStartPre=\\nExecStartPre=/bin/sleep 5\\nExecStartPre=/usr/bin/node cli/tradewind.js migrate\\n' > /etc/systemd/system/tradewind-api.service.d/slow.conf
    systemctl daemon-reload`);
  await typed('systemctl start tradewind-worker tradewind-api');
  await assertAllRun();
  operator = await signUpAt(url);
  // No order: the exchange still has the stop of the database before, which may be an orphan by now.
  await until('the worker to report itself', async () => (await operator.call(status, {})).worker !== null);
});

test('a wrong setting ends a unit with 78, and systemd leaves it ended', options, async () => {
  await typed(
    `sed -i 's|^CACHE_URL=.*|CACHE_URL=mysql://nothing|' /etc/tradewind.env; systemctl restart tradewind-worker || true`,
  );
  await until('the worker to have failed', async () => (await stateOf('tradewind-worker')) === 'failed');
  assert.equal(await typed('systemctl show --property=ExecMainStatus --value tradewind-worker'), '78');
});
