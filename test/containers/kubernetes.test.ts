import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { z } from 'zod';
import { loadPackage } from '#test/auth-proxy/stub-providers.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { reasonToSkip } from './provided.ts';

const CHART = join(ROOT, 'deploy', 'helm');
const NAMESPACE = 'trading';
const VALUES = {
  'image.repository': 'registry.example.com/tradewind',
  webOrigin: 'https://tradewind.example.com',
  databaseUrl: 'postgres://tradewind:pa55@postgres/tradewind',
  cacheUrl: 'redis://valkey:6379',
  'storage.enabled': 'true',
  'research.enabled': 'true',
  'research.autoscaling.enabled': 'true',
};
const template = z.looseObject({
  kind: z.string(),
  spec: z.looseObject({ template: z.looseObject({ spec: z.looseObject({}) }) }),
});
const yamlPackage = z.object({ parseAllDocuments: z.custom<(text: string) => { toJS(): unknown }[]>() });

let cluster: Cluster;
const skip = await reasonToSkip('the chart in a cluster', async () => {
  cluster = await startCluster();
});
const options = { skip, timeout: 300_000 };
after(() => (skip === false ? cluster[Symbol.asyncDispose]() : undefined));

const settings = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => `--set=${name}=${value}`);
const helm = (...args: readonly string[]): Promise<string> => cluster.helm('--namespace', NAMESPACE, ...args);

test(
  'an API server takes the chart in a namespace under the restricted policy, without a warning',
  options,
  async () => {
    const labels = {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/warn': 'restricted',
    };
    const made = await cluster.send('POST', '/api/v1/namespaces', {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: NAMESPACE, labels },
    });
    assert.equal(made.status, 201, made.text);
    const output = await helm('install', 'tradewind', CHART, ...settings(VALUES));
    assert.match(output, /STATUS: deployed/);
    assert.doesNotMatch(output, /warning/i);
  },
);

test(
  'the restricted policy admits the pods of every role, and refuses one without a security context',
  options,
  async () => {
    const { parseAllDocuments } = yamlPackage.parse(await loadPackage('yaml'));
    const manifest = await helm('get', 'manifest', 'tradewind');
    const specs = parseAllDocuments(manifest).flatMap((document) => {
      const found = template.safeParse(document.toJS()).data;
      return found === undefined ? [] : [found.spec.template.spec];
    });
    assert.equal(specs.length, 3, 'api, worker and research');
    const create = (spec: unknown) =>
      cluster.send('POST', `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`, {
        ...{ apiVersion: 'v1', kind: 'Pod' },
        ...{ metadata: { name: 'tried' }, spec },
      });
    for (const spec of specs) {
      const { status, text } = await create(spec);
      assert.equal(status, 201, text);
    }
    const unprotected = { containers: [{ name: 'x', image: 'x' }] };
    const refused = await create(unprotected);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /violates PodSecurity/);
  },
);

test('it is upgraded with changed values, rolled back and removed', options, async () => {
  const output = await helm(
    'upgrade',
    'tradewind',
    CHART,
    ...settings({ ...VALUES, 'api.replicas': '3', liveDemo: 'true' }),
  );
  assert.match(output, /REVISION: 2/);
  const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/tradewind-api`;
  assert.match((await cluster.send('GET', path)).text, /"replicas": ?3/);
  await helm('rollback', 'tradewind', '1');
  assert.match((await cluster.send('GET', path)).text, /"replicas": ?2/);
  await helm('uninstall', 'tradewind');
  assert.equal((await cluster.send('GET', path)).status, 404);
});
