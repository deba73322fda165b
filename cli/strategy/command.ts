import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isCertified } from '#authoring/certificate.ts';
import type { CommandContext } from '#cli/command.ts';
import { parseFlags } from '#cli/flags.ts';
import { print } from '#cli/print.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { StrategyFile } from '#strategies/strategy.ts';
import { certificateOf, checkFile, type Checked } from '#worker/strategy/check.ts';
import { readCertificates, readStrategyFolder, writeCertificate } from '#worker/strategy/folder.ts';
import { hashOf } from '#worker/strategy/source.ts';
import { loadVersion } from '#worker/strategy/version.ts';
import { runDiff } from './diff.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const USAGE =
  'Use "tradewind strategy new NAME", "tradewind strategy check NAME", "tradewind strategy diff OLD.ts NEW.ts" or "tradewind strategy list".';
const FLAGS = { 'data-dir': 'text', from: 'text', json: 'switch' } as const;

interface Task {
  readonly examples: string;
  readonly folder: string;
  readonly name: string;
  readonly from: string;
  readonly json: boolean;
}

/** Creates, checks, compares and lists strategy files. Returns the exit code: 0 done, 1 refused or not passed, 2 wrong usage. */
export async function runStrategy(argv: readonly string[], { root, home }: CommandContext): Promise<number> {
  const [what = '', ...rest] = argv;
  if (what === 'diff') return runDiff(rest);
  const name = rest[0]?.startsWith('-') === false ? rest[0] : '';
  const flags = parseFlags(`strategy ${what}`, name === '' ? rest : rest.slice(1), FLAGS);
  if (flags.kind === 'problem') return refuse(flags.sentence, 2);
  const { values } = flags;
  const dataDir = values.get('data-dir');
  const task: Task = {
    examples: join(root, 'authoring', 'examples'),
    folder: dataDir === undefined ? folderOf(home) : join(resolve(dataDir), 'strategies'),
    name,
    from: values.get('from') ?? 'empty',
    json: values.has('json'),
  };
  if (what === 'new' && name !== '') return create(task);
  if (what === 'check' && name !== '') return check(task);
  if (what === 'list' && name === '') return list(task);
  return refuse(USAGE, 2);
}

/** The folder that the worker of this checkout, release or image reads. */
function folderOf(home: string): string {
  const set = process.env['STRATEGY_DIR'];
  return set === undefined || set === '' ? join(home, '.tradewind', 'strategies') : resolve(set);
}

function refuse(sentence: string, code = 1): number {
  console.error(sentence);
  return code;
}

/** my-rsi becomes My rsi. */
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

async function create({ examples, folder, name, from }: Task): Promise<number> {
  if (!NAME.test(name)) return refuse(`"${name}" must be lower-case words joined by hyphens, such as my-rsi.`, 2);
  if (STRATEGIES.has(name)) return refuse(`"${name}" is the name of a built-in strategy; choose another.`);
  const known = readdirSync(examples).map((file) => basename(file, '.ts'));
  if (!known.includes(from)) return refuse(`--from is "${from}", but must be one of ${known.join(', ')}.`, 2);
  const path = join(folder, `${name}.ts`);
  if (existsSync(path)) return refuse(`${path} exists already; nothing was written.`);
  mkdirSync(folder, { recursive: true });
  const text = readFileSync(join(examples, `${from}.ts`), 'utf8').replace(`name: '${from}'`, `name: '${name}'`);
  // A list would show two strategies with the title of the example.
  writeFileSync(path, text.replace(/(?<=^  title: ')[^']*/m, titleOf(name)));
  writeEditorFiles(folder, join(examples, '..', 'strategy.ts'));
  await print(`Wrote ${path}.\nNext: edit it, then run\n  tradewind strategy check ${name}`);
  return 0;
}

/** The types of tradewind/strategy, so that an editor completes and checks the file. The service reads neither of them. */
function writeEditorFiles(folder: string, declarations: string): void {
  mkdirSync(join(folder, '.editor'), { recursive: true });
  copyFileSync(declarations, join(folder, '.editor', 'strategy.ts'));
  const compilerOptions = {
    ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: [] },
    paths: { 'tradewind/strategy': ['./.editor/strategy.ts'] },
  };
  const config = { compilerOptions, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), `${JSON.stringify(config, null, 2)}\n`);
}

/** A file by its path, or by its name in the folder. */
function findFile({ folder, name }: Task): StrategyFile | undefined {
  const path = name.endsWith('.ts') ? resolve(name) : join(folder, `${name}.ts`);
  return existsSync(path) ? { name: basename(path), text: readFileSync(path, 'utf8') } : undefined;
}

async function check(task: Task): Promise<number> {
  const file = findFile(task);
  if (file === undefined) return refuse(`There is no strategy file ${task.name} in ${task.folder}.`);
  const checked = await checkFile(file);
  if (checked.passed) writeCertificate(task.folder, certificateOf(checked));
  await print(task.json ? JSON.stringify(checked, null, 2) : reportOf(checked));
  return checked.passed ? 0 : 1;
}

function reportOf({ file, refused, hash = '', properties, remarks, candles, fills, passed }: Checked): string {
  if (refused !== undefined) return `Not passed. ${refused}`;
  return [
    `${file}, version ${hash.slice(0, 12)}: ${candles} candles, ${fills} orders.`,
    ...properties.map(
      (each) => `${each.passed ? 'passed' : 'FAILED'}  ${each.name}${each.passed ? '' : `: ${each.sentence}`}`,
    ),
    ...remarks.map((remark) => `remark  ${remark}`),
    passed ? 'Passed. The certificate says what was checked, not that the strategy earns money.' : 'Not passed.',
  ].join('\n');
}

async function list({ folder, json }: Task): Promise<number> {
  const certificates = readCertificates(folder);
  const rows = (readStrategyFolder(folder) ?? []).map(({ name: file, text }) => {
    const loaded = loadVersion(file, text);
    const hash = hashOf(text);
    const certified = certificates.some((each) => isCertified(each, hash));
    const name = loaded.kind === 'version' ? loaded.version.description.name : null;
    return { file, name, hash, certified, problem: loaded.kind === 'refused' ? loaded.sentence : null };
  });
  if (json) await print(JSON.stringify(rows, null, 2));
  else if (rows.length === 0)
    await print(`There are no strategy files in ${folder}. Create one with "tradewind strategy new NAME".`);
  else
    await print(
      rows
        .map(
          ({ file, hash, certified, problem }) =>
            `${file}  ${hash.slice(0, 12)}  ${problem ?? (certified ? 'checked' : 'not checked')}`,
        )
        .join('\n'),
    );
  return 0;
}
