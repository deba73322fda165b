import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { HELM_PROGRAM } from '#test/auth-proxy/proxy-program.ts';
import { loadPackage } from '#test/auth-proxy/stub-providers.ts';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT } from '#test/harness/source-files.ts';

const CHART = join(ROOT, 'deploy', 'helm');
const HELM = findProgram(['helm']) ?? (existsSync(HELM_PROGRAM) ? HELM_PROGRAM : undefined);
const PACKAGES = existsSync(join(ROOT, 'test', 'auth-proxy', 'node_modules', 'kubernetes-models'));
const skip =
  HELM !== undefined && PACKAGES
    ? false
    : 'Helm or the schemas of Kubernetes are not here: npm run test:deploy gets them';
const LEAST = {
  'image.repository': 'registry.example.com/tradewind',
  webOrigin: 'https://tradewind.example.com',
  databaseUrl: 'postgres://tradewind:pa55@postgres/tradewind',
  cacheUrl: 'redis://valkey:6379',
};
const EVERYTHING = {
  ...LEAST,
  'storage.enabled': 'true',
  'metrics.serviceMonitor.enabled': 'true',
  'ingress.protectedBy': 'https://auth.example.com',
  'ingress.annotations.example\\.com/note': 'kept',
  'env.PAPER_URL': 'http://paper:18080',
  liveDemo: 'true',
};

const named = z.object({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const podsOf = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        securityContext: z.object({ runAsNonRoot: z.literal(true) }),
        initContainers: z.array(z.looseObject({ args: z.array(z.string()) })),
        containers: z.array(
          z.object({
            image: z.string(),
            args: z.array(z.string()),
            securityContext: z.object({ readOnlyRootFilesystem: z.literal(true) }),
            env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
          }),
        ),
      }),
    }),
  }),
});
const scaledObject = z.looseObject({
  spec: z.object({
    scaleTargetRef: z.object({ name: z.string() }),
    minReplicaCount: z.number(),
    maxReplicaCount: z.number(),
    triggers: z.array(z.looseObject({ metadata: z.record(z.string(), z.string()) })),
  }),
});
const ingress = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
  spec: z.object({ rules: z.array(z.looseObject({ host: z.string() })) }),
});
const yamlPackage = z.object({ parseAllDocuments: z.custom<(text: string) => { toJS(): unknown }[]>() });

function helm(args: readonly string[]): {
  readonly code: number | null;
  readonly text: string;
  readonly error: string;
} {
  const { status, stdout, stderr } = spawnSync(HELM ?? 'helm', args, { encoding: 'utf8' });
  return { code: status, text: stdout, error: stderr };
}

const render = (values: Readonly<Record<string, string>>) =>
  helm([
    ...['template', 'tw', CHART, '--kube-version', '1.31.0', '--api-versions', 'monitoring.coreos.com/v1'],
    ...Object.entries(values).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
  ]);

async function objects(values: Readonly<Record<string, string>>): Promise<unknown[]> {
  const { code, text, error } = render(values);
  assert.equal(code, 0, error);
  const { parseAllDocuments } = yamlPackage.parse(await loadPackage('yaml'));
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
}

const one = (all: readonly unknown[], kind: string): unknown => all.find((object) => named.parse(object).kind === kind);

/** Packages with the schemas of custom resources, by their group. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'keda.sh': '@kubernetes-models/keda',
};

/** The published schema of a kind, compiled. */
async function validate(object: unknown): Promise<void> {
  const { apiVersion, kind } = named.parse(object);
  const [group = ''] = apiVersion.split('/');
  const from = PACKAGE_OF[group] ?? 'kubernetes-models';
  const kinds = z.record(z.string(), z.unknown()).parse(await loadPackage(`${from}/${apiVersion}/${kind}`));
  const Kind = z.custom<new (data: unknown) => { validate(): void }>((value) => typeof value === 'function');
  new (Kind.parse(kinds[kind]))(object).validate();
}

test('the chart passes its lint, and everything it makes is valid by the schemas of Kubernetes', { skip }, async () => {
  const lint = helm([
    'lint',
    '--strict',
    CHART,
    ...Object.entries(LEAST).map(([key, value]) => `--set=${key}=${value}`),
  ]);
  assert.equal(lint.code, 0, lint.text);
  const all = await objects(EVERYTHING);
  const kinds = new Set(all.map((object) => named.parse(object).kind));
  for (const kind of ['Deployment', 'StatefulSet', 'Service', 'Ingress', 'Secret', 'PodDisruptionBudget', 'PodMonitor'])
    assert.ok(kinds.has(kind), kind);
  for (const object of all) await validate(object);
  await assert.rejects(
    validate({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { replicas: 'two' } }),
  );
});

test('pods run as an ordinary user with a read-only root, migrate first, and take the databases from a secret', {
  skip,
}, async () => {
  const all = await objects(EVERYTHING);
  for (const [kind, role] of [
    ['Deployment', 'api'],
    ['StatefulSet', 'worker'],
  ] as const) {
    const { metadata, spec } = podsOf.parse(one(all, kind)).spec.template;
    assert.equal(metadata.labels['app.kubernetes.io/component'], role);
    assert.deepEqual(
      spec.initContainers.map(({ args }) => args),
      [['migrate']],
    );
    const [container] = spec.containers;
    assert.deepEqual(container?.args, [role]);
    assert.equal(container.image, 'registry.example.com/tradewind:0.1.0');
    const env = new Map(container.env.map((variable) => [variable.name, variable]));
    for (const name of ['DATABASE_URL', 'CACHE_URL'])
      assert.deepEqual(env.get(name)?.['valueFrom'], { secretKeyRef: { name: 'tw-databases', key: name } });
    assert.deepEqual([env.get('LIVE_DEMO')?.value, env.get('PAPER_URL')?.value], ['1', 'http://paper:18080']);
    assert.equal(env.has('WORKER_SLOT'), role === 'worker');
    assert.ok(container.ports.some(({ name }) => name === 'metrics'));
  }
  const elsewhere = all.filter((object) => named.parse(object).kind !== 'Secret');
  assert.ok(!JSON.stringify(elsewhere).includes('pa55'), 'the password of the database is in the secret only');
});

test('every variable that the chart sets is a setting of the service', { skip }, async () => {
  const settings = readFileSync(join(ROOT, '.env.example'), 'utf8');
  const all = await objects(LEAST);
  for (const kind of ['Deployment', 'StatefulSet'])
    for (const { name } of podsOf.parse(one(all, kind)).spec.template.spec.containers.flatMap(({ env }) => env))
      assert.match(settings, new RegExp(`^${name}=`, 'm'));
});

test('the three annotations of the auth-proxy module protect it, and its own are kept', { skip }, async () => {
  const readme = readFileSync(join(ROOT, 'deploy', 'auth-proxy', 'README.md'), 'utf8');
  const documented = [...readme.matchAll(/^(nginx\.ingress\S+auth-(?:url|signin|response-headers)): "(.+)"$/gm)];
  assert.equal(documented.length, 3);
  const { metadata, spec } = ingress.parse(one(await objects(EVERYTHING), 'Ingress'));
  for (const [, name, value] of documented) assert.equal(metadata.annotations[name ?? ''], value);
  assert.equal(metadata.annotations['example.com/note'], 'kept');
  assert.deepEqual(
    spec.rules.map(({ host }) => host),
    ['tradewind.example.com'],
  );
  const open = ingress.parse(one(await objects(LEAST), 'Ingress')).metadata.annotations;
  assert.ok(!Object.keys(open).some((name) => name.includes('auth-')));
});

test('what is missing or wrong is refused with its name', { skip }, () => {
  const refused = (values: Readonly<Record<string, string>>, words: RegExp) => {
    const { code, error } = render(values);
    assert.notEqual(code, 0);
    assert.match(error, words);
  };
  refused({}, /image\/repository[\s\S]*webOrigin|webOrigin[\s\S]*image\/repository/);
  refused({ ...LEAST, webOrigin: '*' }, /webOrigin/);
  refused({ ...LEAST, webOrigin: 'https://a.example.com/app' }, /webOrigin/);
  refused({ ...LEAST, databaseUrl: '' }, /Set databaseUrl, or existingSecret/);
  refused({ ...LEAST, 'api.replcas': '2' }, /replcas/);
  refused({ ...LEAST, 'env.METRICS_PORT': '9000' }, /METRICS_PORT|propertyNames|property name/);
});

test('several origins are served, each host once', { skip }, async () => {
  const webOrigin = String.raw`https://a.example.com\,https://b.example.com:8443\,http://a.example.com`;
  const { spec } = ingress.parse(one(await objects({ ...LEAST, webOrigin }), 'Ingress'));
  assert.deepEqual(
    spec.rules.map(({ host }) => host),
    ['a.example.com', 'b.example.com'],
  );
});

test('a changed address of a database restarts the pods', { skip }, async () => {
  const annotations = z.object({
    spec: z.object({ template: z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) }) }),
  });
  const hashOf = async (values: Readonly<Record<string, string>>, kind: string) =>
    annotations.parse(one(await objects(values), kind)).spec.template.metadata.annotations['tradewind/databases'];
  for (const kind of ['Deployment', 'StatefulSet']) {
    const before = await hashOf(LEAST, kind);
    assert.notEqual(before, await hashOf({ ...LEAST, cacheUrl: 'redis://other:6379' }, kind), kind);
    assert.equal(before, await hashOf({ ...LEAST, liveDemo: 'true' }, kind), kind);
  }
});

test('research has pods of its own, without key pairs of an exchange, scaled by the jobs that wait', {
  skip,
}, async () => {
  const all = await objects({
    ...LEAST,
    'research.enabled': 'true',
    'research.autoscaling.enabled': 'true',
    'env.PAPER_URL': 'http://paper:18080',
    'env.PAPER_API_KEY': 'a-key',
    'env.PAPER_API_SECRET': 'a-secret',
  });
  for (const object of all) await validate(object);
  const research = all.find((object) => named.parse(object).metadata.name === 'tw-research');
  const [container] = podsOf.parse(research).spec.template.spec.containers;
  assert.deepEqual(container?.args, ['worker', '--only', 'research']);
  const names = container.env.map(({ name }) => name);
  assert.ok(names.includes('PAPER_URL') && names.includes('DATABASE_URL'));
  assert.ok(!JSON.stringify(research).includes('PAPER_API_'), 'neither key nor secret');
  const workers = podsOf.parse(one(all, 'StatefulSet')).spec.template.spec.containers[0];
  assert.deepEqual(workers?.args, ['worker', '--only', 'trading']);
  assert.ok(JSON.stringify(workers).includes('a-secret'), 'the others keep them');
  assert.match(JSON.stringify(one(all, 'HorizontalPodAutoscaler')), /tradewind_jobs_waiting.*run-sweep-unit/);
});

test('with the address of a Prometheus, KEDA scales research in place of the autoscaler, down to none', {
  skip,
}, async () => {
  const scaled = { ...LEAST, 'research.enabled': 'true', 'research.autoscaling.enabled': 'true' };
  const keda = {
    'research.autoscaling.keda.prometheus': 'http://prometheus.monitoring:9090',
    'research.replicas': '0',
  };
  const all = await objects({ ...scaled, ...keda });
  for (const object of all) await validate(object);
  assert.equal(one(all, 'HorizontalPodAutoscaler'), undefined);
  const { spec } = scaledObject.parse(one(all, 'ScaledObject'));
  assert.deepEqual(spec.scaleTargetRef, { name: 'tw-research' });
  assert.deepEqual([spec.minReplicaCount, spec.maxReplicaCount], [0, 4]);
  const { query, threshold } = spec.triggers[0]?.metadata ?? {};
  assert.equal(
    query,
    'sum(max by (task) (tradewind_jobs_waiting{namespace="default",task=~"run-backtest|run-sweep-unit|test-robustness"}))',
  );
  assert.equal(threshold, '4');
  await assert.rejects(validate({ ...scaledObject.parse(one(all, 'ScaledObject')), spec: { triggers: 'none' } }));
  const { code, error } = render({ ...scaled, 'research.replicas': '0' });
  assert.notEqual(code, 0);
  assert.match(error, /only KEDA scales to 0/);
});

test('with a secret of your own the chart makes none', { skip }, async () => {
  const { databaseUrl: _url, cacheUrl: _cache, ...rest } = LEAST;
  const all = await objects({ ...rest, existingSecret: 'mine' });
  assert.equal(one(all, 'Secret'), undefined);
  assert.match(JSON.stringify(all), /"name":"mine","key":"DATABASE_URL"/);
});
