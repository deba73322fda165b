import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PROXY_CACHE, PROXY_PROGRAM } from './proxy-program.ts';

/**
 * Brings what the tests of the auth-proxy module need beside Terraform: their packages, and the real proxy, built from its
 * source where Go is new enough. What cannot be had is said; the tests that need it are then left out.
 */
const NEEDED_GO = [1, 26] as const;
const MODULE = 'github.com/oauth2-proxy/oauth2-proxy/v7@v7.15.3';

if (!isRun('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], import.meta.dirname)) {
  console.error('npm could not install the packages of test/auth-proxy: is the registry reachable?');
  process.exitCode = 1;
} else if (!existsSync(PROXY_PROGRAM)) buildProxy();

function isRun(command: string, args: readonly string[], cwd: string): boolean {
  return spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

function buildProxy(): void {
  const version = /go(\d+)\.(\d+)/.exec(spawnSync('go', ['version'], { encoding: 'utf8' }).stdout ?? '');
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  if (major < NEEDED_GO[0] || (major === NEEDED_GO[0] && minor < NEEDED_GO[1])) {
    console.log(`﹣ oauth2-proxy is not built: it needs Go ${NEEDED_GO.join('.')} or later`);
    return;
  }
  const source = join(PROXY_CACHE, 'oauth2-proxy-source');
  mkdirSync(PROXY_CACHE, { recursive: true });
  const answer = spawnSync('go', ['mod', 'download', '-json', MODULE], { cwd: PROXY_CACHE, encoding: 'utf8' });
  const fetched = z.object({ Dir: z.string() }).safeParse(readJson(answer.stdout)).data;
  if (fetched === undefined) {
    console.log(`﹣ oauth2-proxy is not built: ${MODULE} is not to be had here`);
    return;
  }
  if (!existsSync(source)) cpSync(fetched.Dir, source, { recursive: true });
  chmodSync(source, 0o755);
  const flags = ['build', '-mod=readonly', '-buildvcs=false', '-o', PROXY_PROGRAM, '.'];
  if (!isRun('go', flags, source)) console.log('﹣ oauth2-proxy is not built: go build failed');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
