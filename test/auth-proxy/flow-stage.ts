import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from './flow-browser.ts';
import { startProvider, startService } from './flow-services.ts';
import { type BufferSize, nginxConf } from './nginx-conf.ts';

/**
 * Plays the whole login inside a network and mount namespace of its own, and prints what was seen as one line of JSON.
 * Arguments: a folder that holds proxy.cfg, hosts.crt, hosts.key and ca.crt; the buffer size; bytes of extra claims; the
 * program of the proxy; the cookie secret.
 */
const [folder = '', buffer = '16k', claimBytes = '0', program = '', cookieSecret = ''] = process.argv.slice(2);
const PAGE = 'https://app.lab.test/dash/board?a=1&b=two%20words&c=%2Fx';
const AUTH = 'https://auth.lab.test/oauth2/auth';
const children: ChildProcess[] = [];

try {
  await openStage();
  console.log(JSON.stringify(await play()));
} finally {
  for (const child of children) child.kill();
}
process.exit();

async function openStage(): Promise<void> {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  const hosts = join(folder, 'etc-hosts');
  writeFileSync(hosts, '127.0.0.1 localhost auth.lab.test idp.lab.test app.lab.test\n');
  execFileSync('mount', ['--bind', hosts, '/etc/hosts']);
  mkdirSync(join(folder, 'temp'), { recursive: true });
  const conf = join(folder, 'nginx.conf');
  writeFileSync(conf, nginxConf(folder, buffer === '4k' ? '4k' : ('16k' satisfies BufferSize)));
  await startProvider(Number(claimBytes));
  startService();
  start('nginx', ['-c', conf]);
  await answers('https://idp.lab.test/.well-known/openid-configuration');
  start(program, ['--http-address=127.0.0.1:4180', `--config=${join(folder, 'proxy.cfg')}`], {
    OAUTH2_PROXY_CLIENT_ID: 'cid',
    OAUTH2_PROXY_CLIENT_SECRET: 'abc',
    OAUTH2_PROXY_COOKIE_SECRET: cookieSecret,
    SSL_CERT_FILE: join(folder, 'ca.crt'),
  });
  await answers('https://auth.lab.test/ping');
}

function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  const told: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => void told.push(text));
  child.on('exit', (code) => {
    if (code !== null) process.stderr.write(`${command} ended with ${code}: ${told.join('').slice(-2000)}\n`);
  });
  children.push(child);
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer`);
}

async function play(): Promise<unknown> {
  const browser = new Browser();
  const before = await browser.open(AUTH);
  const login = await browser.login(PAGE, 'alice');
  const last = login.at(-1);
  if (last?.status !== 200) return { login: login.map(({ url, status }) => ({ url, status })) };
  const check = await browser.open(AUTH);
  const forged = await fetch('https://app.lab.test/', {
    headers: { 'X-Auth-Request-User': 'root' },
    redirect: 'manual',
  });
  const impostor = await browser.open('https://app.lab.test/as', { headers: { 'X-Auth-Request-User': 'root' } });
  const returns = [
    'https://evil.other.org/',
    '//evil.other.org',
    'https://app.lab.test:8443/p',
    'https://app.lab.test/ok',
  ];
  const returned: Record<string, string> = {};
  for (const back of returns) {
    const pages = await browser.login(`https://auth.lab.test/oauth2/start?rd=${encodeURIComponent(back)}`, 'alice');
    returned[back] = pages.find(({ url }) => url.includes('/oauth2/callback'))?.to ?? '';
  }
  const cookies = browser.cookies.filter(({ name }) => name.includes('oauth2_proxy'));
  const out = await browser.open('https://auth.lab.test/oauth2/sign_out');
  return {
    before: before.status,
    login: login.map(({ url, status, to }) => ({ url, status, to })),
    page: jsonOf(last),
    check: { status: check.status, headers: Object.fromEntries(check.headers) },
    forged: forged.status,
    impostor: jsonOf(impostor),
    returned,
    cookies: cookies.map(({ domain, name, value }) => ({ domain, name, bytes: value.length })),
    signOut: [out.status, (await browser.open(AUTH)).status],
    twoTabs: await twoTabs(),
  };
}

/** Two tabs begin a login before either ends one; both arrive. */
async function twoTabs(): Promise<number[]> {
  const browser = new Browser();
  const pages = ['https://app.lab.test/one', 'https://app.lab.test/two'];
  const starts: string[] = [];
  for (const page of pages) {
    const sent = await browser.open(page);
    starts.push((await browser.open(sent.to)).to);
  }
  const statuses: number[] = [];
  for (const start of starts) statuses.push((await browser.login(start, 'alice')).at(-1)?.status ?? 0);
  return statuses;
}

function jsonOf({ text }: { readonly text: string }): unknown {
  return JSON.parse(text);
}
