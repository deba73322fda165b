import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELM_PROGRAM } from '#test/auth-proxy/proxy-program.ts';
import { until } from '#test/flow/until.ts';
import { findProgram } from '#test/harness/programs.ts';
import { freePort } from '#test/harness/servers.ts';
import { must, run } from './command.ts';
import { kept, noteVersion } from './provided.ts';

const VERSION = '1.31.14';
/** Modules of Kubernetes that the Go proxy has in an older patch only. */
const OLDER = new Set(['k8s.io/kube-scheduler', 'k8s.io/endpointslice', 'k8s.io/kube-controller-manager']);
const TOKEN = 'administrator-of-the-tests';

/** A Kubernetes API server with its store: it admits and keeps objects, but no pod is started. */
export interface Cluster extends AsyncDisposable {
  /** Runs Helm against it; throws unless it ends with 0. */
  helm(...args: readonly string[]): Promise<string>;
  /** Sends an object, or reads with GET; returns the status and the answer. */
  send(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>;
}

/** Throws with the reason where there can be none. The first call builds the API server, which takes some minutes. */
export async function startCluster(): Promise<Cluster> {
  const etcd = findProgram(['etcd']);
  const helm = findProgram(['helm']) ?? (existsSync(HELM_PROGRAM) ? HELM_PROGRAM : undefined);
  if (etcd === undefined) throw new Error('etcd is not on this machine (Debian: etcd-server)');
  if (helm === undefined) throw new Error('Helm is not on this machine: npm run test:deploy -- --files builds it');
  const server = findProgram(['kube-apiserver']) ?? (await kept(`kube-apiserver-${VERSION}`, build));
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-cluster-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const start = (program: string, args: readonly string[], log: string) => {
    const out = openSync(join(folder, log), 'w');
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', out, out] });
    stack.defer(async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    });
    return child;
  };
  const store = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const addresses = ['--listen-client-urls', store, '--advertise-client-urls', store, '--listen-peer-urls', peer];
  start(etcd, ['--data-dir', join(folder, 'etcd'), ...addresses], 'etcd.log');
  const port = await freePort();
  await must(['openssl', 'genrsa', '-out', join(folder, 'account.key'), '2048']);
  writeFileSync(join(folder, 'tokens.csv'), `${TOKEN},admin,1,"system:masters"\n`);
  const child = start(server, flagsOf({ folder, store, port }), 'server.log');
  const address = `https://127.0.0.1:${port}`;
  const config = join(folder, 'kubeconfig');
  writeFileSync(config, kubeconfig(address));
  const send: Cluster['send'] = async (method, path, body) => {
    const data = body === undefined ? [] : ['--header', 'Content-Type: application/json', '--data-binary', '@-'];
    const words = ['curl', '--silent', '--insecure', '--write-out', '\n%{http_code}', '--request', method, ...data];
    const url = [`${address}${path}`, '--header', `Authorization: Bearer ${TOKEN}`];
    const { output } = await run([...words, ...url], { input: JSON.stringify(body) });
    const end = output.lastIndexOf('\n');
    return { status: Number(output.slice(end + 1)), text: output.slice(0, end) };
  };
  await until('the API server to be ready', async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'server.log'), 'utf8').slice(-2000));
    return (await send('GET', '/readyz')).status === 200;
  });
  noteVersion(`kube-apiserver ${VERSION}, helm ${await must([helm, 'version', '--short'])}`);
  const resources = stack.move();
  return {
    send,
    helm: (...args) => must([helm, '--kubeconfig', config, ...args]),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface ServerFlags {
  readonly folder: string;
  readonly store: string;
  readonly port: number;
}

const flagsOf = ({ folder, store, port }: ServerFlags): string[] => [
  ...[`--etcd-servers=${store}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${folder}/certs`],
  ...['--authorization-mode=RBAC', `--token-auth-file=${folder}/tokens.csv`, '--service-cluster-ip-range=10.0.0.0/24'],
  ...['--service-account-issuer=https://tests.invalid', `--service-account-key-file=${folder}/account.key`],
  ...[`--service-account-signing-key-file=${folder}/account.key`, '--disable-admission-plugins=ServiceAccount'],
];

const kubeconfig = (server: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'tests' },
    clusters: [{ name: 'tests', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token: TOKEN } }],
    contexts: [{ name: 'tests', context: { cluster: 'tests', user: 'admin' } }],
  });

/** Builds the API server from the Go proxy: its parts are modules of their own there. */
async function build(path: string): Promise<void> {
  if (findProgram(['go']) === undefined) throw new Error('Go is not on this machine, and kube-apiserver neither');
  console.log('Building kube-apiserver from its source, some minutes, once …');
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-kubernetes-'));
  const env = { GOWORK: 'off', GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
  const script = `
    set -eu
    cp -r "$(go mod download -json k8s.io/kubernetes@v${VERSION} | sed -n 's/.*"Dir": "\\(.*\\)".*/\\1/p')" source
    chmod -R u+w source && cd source && rm -rf vendor go.work go.work.sum
    for module in $(grep -oE '^\\s+k8s.io/[a-z-]+ => ./staging' go.mod | awk '{print $1}'); do
      version=v0.${VERSION.slice(2)}
      case " ${[...OLDER].join(' ')} " in *" $module "*) version=v0.31.13;; esac
      go mod edit -replace=$module=$module@$version -require=$module@$version
    done
    package=k8s.io/component-base/version
    stamp="-X $package.gitVersion=v${VERSION} -X $package.gitMajor=1 -X $package.gitMinor=31"
    go build -ldflags="-s -w $stamp" -o ${path} ./cmd/kube-apiserver`;
  try {
    await must(['bash', '-c', script], { cwd: folder, env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
