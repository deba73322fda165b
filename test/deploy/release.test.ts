import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT } from '#test/harness/source-files.ts';

const missing = ['git', 'bash', 'ssh-keygen', 'sha256sum'].filter((name) => findProgram([name]) === undefined);
const reason = existsSync(join(ROOT, '.git')) ? missing.join(', ') : 'a repository';
const skip = reason === '' ? false : `not here: ${reason}`;
if (skip !== false) console.log(`﹣ the release: ${skip}, so it is not made here`);

let folder = '';
const at = (...names: string[]): string => join(folder, ...names);

/** Makes a release of a clone into this folder, in a time zone and with a file mode mask of its own. */
function release(out: string, zone: string, mask: string): void {
  const clone = at(`clone-${out}`);
  execFileSync('git', ['clone', '--quiet', ROOT, clone]);
  const env = { ...process.env, TZ: zone, RELEASE_KEY: at('key'), DOCKER_HOST: 'unix:///dev/null' };
  const command = `umask ${mask}; exec bash .ci/release --image '${at(out)}'`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: clone, env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stderr, /^﹣ the image: no container engine answers, so it is not made: .+$/m);
}

before(() => {
  if (skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'tradewind-release-'));
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'releaser', '-f', at('key')]);
  release('first', 'UTC', '022');
  release('second', 'Pacific/Auckland', '077');
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('two releases of one commit are the same bytes', { skip }, () => {
  const sums = readFileSync(at('first', 'SHA256SUMS'), 'utf8');
  assert.equal(sums, readFileSync(at('second', 'SHA256SUMS'), 'utf8'));
  assert.deepEqual(
    [...sums.matchAll(/\.(tar\.gz|sbom\.json|provenance\.json|notes\.md)$/gm)].map(([, kind]) => kind),
    ['notes.md', 'provenance.json', 'sbom.json', 'tar.gz'],
  );
});

test('the checksums carry the signature of the key that was given', { skip }, () => {
  writeFileSync(at('allowed'), `releaser ${readFileSync(at('key.pub'), 'utf8')}`);
  const words = ['-Y', 'verify', '-f', at('allowed'), '-I', 'releaser', '-n', 'tradewind-release'];
  const input = readFileSync(at('first', 'SHA256SUMS'));
  const args = [...words, '-s', at('first', 'SHA256SUMS.sig')];
  assert.equal(spawnSync('ssh-keygen', args, { input }).status, 0);
  assert.notEqual(spawnSync('ssh-keygen', args, { input: `${input.toString()} ` }).status, 0);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('first') });
});

test('the bill of materials lists every package that runs, and the provenance names the commit', { skip }, () => {
  const read = (kind: string): unknown => {
    const name = readFileSync(at('first', 'SHA256SUMS'), 'utf8').match(
      new RegExp(`tradewind-\\S+\\.${kind}\\.json`),
    )?.[0];
    return JSON.parse(readFileSync(at('first', name ?? ''), 'utf8'));
  };
  const manifest = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  const { bomFormat, components } = z
    .object({ bomFormat: z.string(), components: z.array(z.object({ purl: z.string() })) })
    .parse(read('sbom'));
  assert.equal(bomFormat, 'CycloneDX');
  const listed = components.map(({ purl }) => decodeURIComponent(purl));
  for (const [name, version] of Object.entries(manifest.dependencies))
    assert.ok(listed.includes(`pkg:npm/${name}@${version}`), name);
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  assert.ok(JSON.stringify(read('provenance')).includes(`"gitCommit":"${commit}"`));
});
