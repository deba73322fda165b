import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findProgram } from '../harness/programs.ts';
import type { BufferSize } from './nginx-conf.ts';
import { PROXY_PROGRAM } from './proxy-program.ts';
import { loadPackage } from './stub-providers.ts';
import { appliedState, openBench, reasonToSkip } from './terraform-bench.ts';

const run = promisify(execFile);
const NGINX_MODULE = '/usr/lib/nginx/modules/ngx_http_set_misc_module.so';
const program = process.env['OAUTH2_PROXY_BIN'] ?? (existsSync(PROXY_PROGRAM) ? PROXY_PROGRAM : undefined);
const skip = reasonToSkip() || lacking();

function lacking(): string | false {
  if (program === undefined)
    return 'the real oauth2-proxy is not built: npm run test:deploy builds it where Go 1.26 is';
  if (findProgram(['nginx']) === undefined || !existsSync(NGINX_MODULE))
    return 'nginx with its set-misc module is not here';
  if (process.getuid?.() !== 0) return 'a network of its own needs root';
  return findProgram(['unshare']) === undefined ? 'there is no unshare here' : false;
}

const visit = z.object({ url: z.string(), status: z.number(), to: z.string().default('') });
const seen = z.object({
  before: z.number(),
  login: z.array(visit),
  page: z.record(z.string(), z.string()),
  check: z.object({ status: z.number(), headers: z.record(z.string(), z.string()) }),
  forged: z.number(),
  impostor: z.looseObject({ user: z.string() }),
  returned: z.record(z.string(), z.string()),
  cookies: z.array(z.object({ domain: z.string(), name: z.string(), bytes: z.number() })),
  signOut: z.array(z.number()),
  twoTabs: z.array(z.number()),
});

interface Stage extends AsyncDisposable {
  play(buffer: BufferSize, claimBytes: number): Promise<unknown>;
}

/** A folder with the config that Terraform makes, and certificates of an authority of its own. */
async function openStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'auth-flow-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const cookieSecret = await writeConfig(folder);
  makeCertificates(folder);
  const kept = stack.move();
  return {
    play: async (buffer, claimBytes) => {
      const script = join(import.meta.dirname, 'flow-stage.ts');
      const args = [script, folder, buffer, String(claimBytes), program ?? '', cookieSecret];
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') };
      const { stdout } = await run('unshare', ['-mn', process.execPath, ...args], { env, maxBuffer: 1 << 24 });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Writes proxy.cfg as the module makes it and has the proxy itself judge it; returns the cookie secret. */
async function writeConfig(folder: string): Promise<string> {
  await using bench = await openBench();
  const { of } = await appliedState(bench, {
    auth_oauth2_proxy_host: 'auth.lab.test',
    auth_oauth2_proxy_cookie_domains: '[".lab.test"]',
    auth_oauth2_proxy_whitelist_domains: '["*.lab.test"]',
    auth_idp_domain: 'idp.lab.test',
    auth_idp_client_id: 'cid',
    auth_idp_client_secret: 'abc',
  });
  const { parse } = await loadPackage<{ parse(text: string): unknown }>('yaml');
  const [text = ''] = z.array(z.string()).parse(of('helm_release.oauth2_proxy')['values']);
  const { config } = z.object({ config: z.object({ configFile: z.string() }) }).parse(parse(text));
  writeFileSync(join(folder, 'proxy.cfg'), config.configFile);
  return z.object({ 'cookie-secret': z.string() }).parse(of('kubernetes_secret_v1.credentials')['data'])[
    'cookie-secret'
  ];
}

function makeCertificates(folder: string): void {
  const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-days', '2', '-subj', '/CN=test authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl('req', ...key, '-subj', '/CN=lab.test', '-keyout', 'hosts.key', '-out', 'hosts.csr');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:auth.lab.test,DNS:idp.lab.test,DNS:app.lab.test\n');
  const sign = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'hosts.csr', ...sign, '-out', 'hosts.crt');
}

test('a visitor without a session is sent through the login and lands on the requested page, with an identity', {
  skip,
}, async () => {
  await using stage = await openStage();
  const told = seen.parse(await stage.play('16k', 0));
  assert.equal(told.before, 401);
  const [page, start, provider] = told.login;
  assert.equal(page?.status, 302);
  assert.match(
    page?.to ?? '',
    /^https:\/\/auth\.lab\.test\/oauth2\/start\?rd=https:\/\/app\.lab\.test%2Fdash%2Fboard%3Fa%3D1/,
  );
  assert.equal(start?.status, 302);
  assert.match(provider?.url ?? '', /^https:\/\/idp\.lab\.test\/auth\?.*code_challenge_method=S256/);
  const callback = told.login.find(({ url }) => url.startsWith('https://auth.lab.test/oauth2/callback?code='));
  assert.deepEqual([callback?.status, callback?.to], [302, 'https://app.lab.test/dash/board?a=1&b=two%20words&c=%2Fx']);
  const { token, ...identity } = told.page;
  assert.deepEqual(identity, {
    url: '/dash/board?a=1&b=two%20words&c=%2Fx',
    user: 'alice',
    email: 'alice@lab.test',
  });
  assert.ok((token ?? '').length > 20);

  // The specification says 200; oauth2-proxy says 202, and an ingress lets every 2xx through.
  assert.equal(told.check.status, 202);
  assert.equal(told.check.headers['x-auth-request-user'], 'alice');
  assert.equal(told.check.headers['x-auth-request-email'], 'alice@lab.test');
  assert.equal(told.check.headers['x-auth-request-access-token'], token);
  assert.equal(told.forged, 302, 'a made-up identity is no session');
  assert.equal(told.impostor.user, 'alice', 'a made-up identity is overwritten');
  assert.deepEqual(
    told.cookies.map(({ domain, name }) => `${name} of ${domain}`),
    ['__Secure-oauth2_proxy of lab.test'],
  );
  assert.deepEqual(told.returned, {
    'https://evil.other.org/': 'https://auth.lab.test/',
    '//evil.other.org': 'https://auth.lab.test/',
    'https://app.lab.test:8443/p': 'https://auth.lab.test/',
    'https://app.lab.test/ok': 'https://app.lab.test/ok',
  });
  assert.deepEqual(told.signOut, [302, 401]);
  assert.deepEqual(told.twoTabs, [200, 200]);
});

test('with 1.5 kB more of claims the callback is 502 at a buffer of 4k and works at the 16k of the module', {
  skip,
}, async () => {
  await using stage = await openStage();
  const failed = z.object({ login: z.array(visit) }).parse(await stage.play('4k', 1_500));
  const last = failed.login.at(-1);
  assert.ok(last?.url.includes('/oauth2/callback'));
  assert.equal(last?.status, 502);
  const told = seen.parse(await stage.play('16k', 1_500));
  assert.equal(told.page['user'], 'alice');
});

test('the proxy itself takes the config that the module makes', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'auth-config-'));
  try {
    const secret = await writeConfig(folder);
    const env = { ...process.env, OAUTH2_PROXY_CLIENT_ID: 'cid', OAUTH2_PROXY_CLIENT_SECRET: 'abc' };
    const args = ['--config-test', `--config=${join(folder, 'proxy.cfg')}`];
    const check = (cookieSecret: string) =>
      run(program ?? '', args, { env: { ...env, OAUTH2_PROXY_COOKIE_SECRET: cookieSecret } });
    await check(secret);
    // The unchanged alphabet of the random source would give this.
    await assert.rejects(
      check('+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/8='),
      /cookie_secret must be 16, 24, or 32 bytes/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
