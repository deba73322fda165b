import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { loadPackage } from './stub-providers.ts';
import { appliedState, MODULE, openBench, reasonToSkip } from './terraform-bench.ts';

const README = readFileSync(join(MODULE, 'README.md'), 'utf8');
const SECRET = 'cl1ent-s3cret';
const skip = reasonToSkip();

/** The specification's table: name, default, and what is special. */
const VARIABLES: Readonly<Record<string, { readonly default?: unknown; readonly sensitive?: true }>> = {
  prometheus_namespace: { default: 'monitoring' },
  auth_ingress_class_name: { default: 'nginx' },
  auth_ingress_enable_tls: { default: true },
  auth_oauth2_proxy_host: { default: 'auth.example.com' },
  auth_oauth2_proxy_cookie_domains: { default: ['.example.com'] },
  auth_oauth2_proxy_whitelist_domains: { default: ['*.example.com'] },
  auth_idp_domain: { default: 'tenant.idp.example.com' },
  auth_idp_client_id: { default: '' },
  auth_idp_client_secret: { sensitive: true },
  auth_host_alias_ip: { default: '' },
  auth_host_alias_hostnames: { default: '' },
};

const planned = z.object({
  configuration: z.object({
    root_module: z.object({
      variables: z.record(
        z.string(),
        z.object({ default: z.unknown().optional(), description: z.string(), sensitive: z.literal(true).optional() }),
      ),
    }),
  }),
});

test('the files are formatted, valid, and their own tests pass', { skip }, async () => {
  await using bench = await openBench();
  for (const args of [['fmt', '-check', '-recursive'], ['validate'], ['test']]) {
    const { code, text } = await bench.terraform(args);
    assert.equal(code, 0, text);
    if (args[0] === 'test') assert.match(text, /Success! 13 passed, 0 failed/);
  }
});

test('its variables have the names, defaults and secrecy of the specification, and the README lists them', {
  skip,
}, async () => {
  await using bench = await openBench();
  assert.equal((await bench.terraform(['plan', '-out=plan'], { auth_idp_client_secret: SECRET })).code, 0);
  const text = (await bench.terraform(['show', '-json', 'plan'])).text;
  const { variables } = planned.parse(JSON.parse(text)).configuration.root_module;
  const kept = Object.entries(variables).map(([name, { default: value, sensitive }]) => [
    name,
    { ...(value === undefined ? {} : { default: value }), ...(sensitive === true ? { sensitive } : {}) },
  ]);
  assert.deepEqual(Object.fromEntries(kept), VARIABLES);
  for (const [name, { default: value }] of Object.entries(VARIABLES)) {
    const cell = value === undefined ? 'required, sensitive' : `\`${JSON.stringify(value)}\``;
    const line = README.split('\n').find((one) => one.startsWith(`| \`${name}\` |`));
    assert.ok(line?.includes(`| ${cell} |`), `the README says ${name} is ${cell}`);
  }
});

test('without the client secret nothing is planned', { skip }, async () => {
  await using bench = await openBench();
  const { code, text } = await bench.terraform(['plan', '-input=false']);
  assert.equal(code, 1);
  assert.match(text, /No value for required variable[\s\S]*auth_idp_client_secret/);
});

test('variables from the environment reach the secret, the chart and the outputs, and the second plan is empty', {
  skip,
}, async () => {
  const { parse } = await loadPackage<{ parse(text: string): unknown }>('smol-toml');
  const yaml = await loadPackage<{ parse(text: string): unknown }>('yaml');
  await using bench = await openBench();
  const variables = {
    prometheus_namespace: 'watch',
    auth_ingress_class_name: 'outer',
    auth_oauth2_proxy_host: 'login.lab.test',
    auth_oauth2_proxy_cookie_domains: '[".lab.test"]',
    auth_oauth2_proxy_whitelist_domains: '["*.lab.test", "idp.lab.test:8443"]',
    auth_idp_domain: 'idp.lab.test',
    auth_idp_client_id: 'cid',
    auth_idp_client_secret: SECRET,
    auth_host_alias_ip: '10.1.2.3',
    auth_host_alias_hostnames: 'idp.lab.test',
  };
  const { of, outputs, told } = await appliedState(bench, variables);
  assert.ok(!told.includes(SECRET), 'the client secret is not printed');
  const data = z.record(z.string(), z.string()).parse(of('kubernetes_secret_v1.credentials')['data']);
  assert.deepEqual([data['client-id'], data['client-secret']], ['cid', SECRET]);
  assert.match(data['cookie-secret'] ?? '', /^[A-Za-z0-9_-]{43}=$/);
  assert.equal(Buffer.from(data['cookie-secret'] ?? '', 'base64url').length, 32);

  const release = of('helm_release.oauth2_proxy');
  const [version, repository, wait] = [release['version'], release['repository'], release['atomic']];
  assert.deepEqual([version, repository, wait], ['10.7.0', 'https://oauth2-proxy.github.io/manifests', true]);
  const texts = z.array(z.string()).parse(release['values']);
  assert.ok(!texts.join('').includes(SECRET), 'the client secret is nowhere but in the secret object');
  const { config, ...values } = z
    .looseObject({ config: z.record(z.string(), z.string()) })
    .parse(yaml.parse(texts[0] ?? ''));
  assert.equal(config['existingSecret'], 'oauth2-proxy-credentials');
  const settings = z.record(z.string(), z.unknown()).parse(parse(config['configFile'] ?? ''));
  assert.deepEqual(
    { ...settings },
    {
      ...{ provider: 'oidc', oidc_issuer_url: 'https://idp.lab.test/', scope: 'openid email profile' },
      ...{ redirect_url: 'https://login.lab.test/oauth2/callback', code_challenge_method: 'S256' },
      ...{ insecure_oidc_skip_nonce: false, skip_provider_button: true, email_domains: ['*'] },
      ...{ cookie_name: '__Secure-oauth2_proxy', cookie_secure: true, cookie_httponly: true, cookie_samesite: 'lax' },
      ...{ cookie_domains: ['.lab.test'], whitelist_domains: ['*.lab.test', 'idp.lab.test:8443'] },
      ...{ cookie_csrf_per_request: true, cookie_csrf_expire: '5m' },
      ...{ reverse_proxy: true, real_client_ip_header: 'X-Real-IP', set_xauthrequest: true, pass_access_token: true },
      ...{ upstreams: ['static://202'], silence_ping_logging: true },
    },
  );
  assert.deepEqual(values, {
    enableServiceLinks: false,
    serviceAccount: { automountServiceAccountToken: false },
    metrics: { enabled: true, serviceMonitor: { enabled: true, namespace: 'watch' } },
    ingress: {
      ...{ enabled: true, className: 'outer', hosts: ['login.lab.test'], path: '/', pathType: 'Prefix' },
      annotations: { 'nginx.ingress.kubernetes.io/proxy-buffer-size': '16k' },
      tls: [{ secretName: 'oauth2-proxy-tls', hosts: ['login.lab.test'] }],
    },
    hostAliases: [{ ip: '10.1.2.3', hostnames: ['idp.lab.test'] }],
  });
  assert.equal(outputs['callback_url']?.value, 'https://login.lab.test/oauth2/callback');
  assert.deepEqual([outputs['logout_url']?.value, outputs['namespace']?.value], ['https://login.lab.test', 'auth']);
  assert.ok(Object.values(outputs).every(({ sensitive }) => !sensitive));

  assert.equal((await bench.terraform(['plan', '-detailed-exitcode'], variables)).code, 0, 'nothing is left to change');
  const rotated = await bench.terraform(['plan', '-detailed-exitcode'], {
    ...variables,
    auth_idp_client_secret: 'other',
  });
  assert.equal(rotated.code, 2);
  assert.match(rotated.text, /Plan: 0 to add, 2 to change, 0 to destroy/);
  assert.match(rotated.text, /checksum\/credentials/, 'a new secret starts the pods anew');
});

test('the annotations in the README are those of the output', { skip }, async () => {
  await using bench = await openBench();
  const { outputs } = await appliedState(bench, { auth_idp_client_secret: SECRET, auth_idp_client_id: 'cid' });
  const annotations = z.record(z.string(), z.string()).parse(outputs['ingress_annotations']?.value);
  assert.equal(Object.keys(annotations).length, 3);
  for (const [name, value] of Object.entries(annotations)) assert.ok(README.includes(`${name}: "${value}"`), name);
});
