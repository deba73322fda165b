import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../core/json.ts';
import { findProgram } from '../harness/programs.ts';
import { DASHBOARD_PROGRAM, HELM_PROGRAM, PROXY_CACHE, PROXY_PROGRAM } from './proxy-program.ts';

/**
 * Installs the tools that the tests of deploy/ need in addition to Terraform: their packages, and the real proxy, Helm and the check of
 * the dashboard, built from their source where Go is new enough. It names each tool that is not available; the tests that need it are left out.
 */
const NEEDED_GO = [1, 26] as const;
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.19.0';
const MODULE = 'github.com/oauth2-proxy/oauth2-proxy/v7@v7.15.3';

if (!isRun('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], import.meta.dirname)) {
  console.error('npm could not install the packages of test/auth-proxy: is the registry reachable?');
  process.exitCode = 1;
} else if (hasGo()) {
  if (!existsSync(PROXY_PROGRAM)) buildProxy();
  if (!existsSync(HELM_PROGRAM) && findProgram(['helm']) === undefined) buildHelm();
  if (!existsSync(DASHBOARD_PROGRAM)) buildDashboardCheck();
}

function isRun(command: string, args: readonly string[], cwd: string): boolean {
  return spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

function hasGo(): boolean {
  const version = /go(\d+)\.(\d+)/.exec(spawnSync('go', ['version'], { encoding: 'utf8' }).stdout ?? '');
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  if (major < NEEDED_GO[0] || (major === NEEDED_GO[0] && minor < NEEDED_GO[1])) {
    console.log(
      `﹣ oauth2-proxy, Helm and the check of the dashboard are not built: they need Go ${NEEDED_GO.join('.')} or later`,
    );
    return false;
  }
  return true;
}

function buildProxy(): void {
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

function buildHelm(): void {
  mkdirSync(PROXY_CACHE, { recursive: true });
  const env = { ...process.env, GOBIN: PROXY_CACHE, CGO_ENABLED: '0' };
  const { status } = spawnSync('go', ['install', '-ldflags=-s -w', HELM], { stdio: 'inherit', env });
  if (status === 0) renameSync(join(PROXY_CACHE, 'helm'), HELM_PROGRAM);
  else console.log(`﹣ Helm is not built: ${HELM} is not to be had here`);
}

function buildDashboardCheck(): void {
  mkdirSync(PROXY_CACHE, { recursive: true });
  const flags = ['build', '-mod=readonly', '-buildvcs=false', '-o', DASHBOARD_PROGRAM, '.'];
  if (!isRun('go', flags, join(import.meta.dirname, '../deploy/grafana-types')))
    console.log('﹣ the check of the dashboard is not built: go build failed');
}
