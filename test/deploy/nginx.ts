import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '#test/flow/until.ts';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT } from '#test/harness/source-files.ts';

const NGINX = findProgram(['nginx']);
/** A reason to skip, or false where nginx is on this machine. */
export const withoutNginx: string | false = NGINX === undefined ? 'nginx is not on this machine' : false;

const delivered = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8');

interface Proxy {
  readonly port: number;
  /** Ports of the replicas of the api. */
  readonly apiPorts: readonly number[];
  /** Files of deploy/ that lie next to the configuration. */
  readonly beside?: readonly string[];
}

/** nginx with the configuration that is delivered, on a port of its own, in front of these replicas. */
export async function openNginx(stack: AsyncDisposableStack, { port, apiPorts, beside = [] }: Proxy): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-nginx-'));
  chmodSync(folder, 0o711);
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const site = delivered('nginx.conf')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll('http://api:8080', 'http://replicas');
  assert.ok(site.includes('http://replicas') && site.includes(`:${port};`), 'the configuration still has both places');
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  // A replica that failed is tried again soon, as docs/operator/scale.md says.
  const servers = apiPorts.map((one) => `server 127.0.0.1:${one} fail_timeout=2s;`).join(' ');
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; ${user} worker_processes 1; pid ${folder}/pid; error_log stderr crit; events {}
     http { access_log off; ${temps.join(' ')} upstream replicas { ${servers} }\n${beside.map(delivered).join('\n')}\n${site} }`,
  );
  const child = spawn(NGINX ?? 'nginx', ['-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  stack.defer(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/api/status`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('nginx answers', answers);
}
