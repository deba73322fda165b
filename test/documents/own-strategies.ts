import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS } from '#authoring/kinds.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { loadVersion } from '#worker/strategy/version.ts';
import { row, BY_HAND } from './text.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** An indicator as `authoring/strategy.ts` declares it. */
interface Documented {
  readonly name: string;
  readonly says: string;
  readonly example: string;
  /** Its arguments as a file writes them, such as `(length: number, of?: string)`. */
  readonly parameters: string;
}

function documentedIndicators(): Documented[] {
  const pattern = /\/\*\* ([^\n]*?) @example (.+?) \*\/\nexport const (\w+) = (\([^)]*\)): [\w<]/g;
  return [...read('authoring/strategy.ts').matchAll(pattern)].map(
    ([, says = '', example = '', name = '', parameters = '']) => ({
      ...{ name, says, example },
      parameters: parameters
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/readonly |: (number|string)|\( |,? \)/g, (found) =>
          found.includes('(') ? '(' : found.includes(')') ? ')' : '',
        ),
    }),
  );
}

/** The examples as a strategy file declares them. */
function declaredExamples(all: readonly Documented[]) {
  const text = [
    `import { ${['defineStrategy', ...all.map(({ name }) => name)].join(', ')} } from 'tradewind/strategy';`,
    "export default defineStrategy({ name: 'all', title: 'All', summary: 'All.', interval: '1h', entry: [],",
    `  indicators: () => ({ ${all.map(({ example }, i) => `x${i}: ${example}`).join(', ')} }),`,
    '});',
  ].join('\n');
  const loaded = loadVersion('all.ts', text);
  if (loaded.kind === 'refused') throw new Error(loaded.sentence);
  return Object.values(loaded.version.declared);
}

/** The comment of the function in core/indicators that computes a kind. */
function formulaOf(kind: string): string {
  const kinds = read('authoring/kinds.ts');
  const at = Math.max(kinds.indexOf(`\n  ${kind}: `), kinds.indexOf(`\n  '${kind}': `));
  const creates = /\bcreate[A-Z]\w+/.exec(kinds.slice(at));
  const name = kind === 'lowest' || kind === 'highest' ? 'createWindowRange' : creates?.[0];
  const path = new RegExp(`import \\{ ${name} \\} from '#(core/indicators/[\\w-]+\\.ts)'`).exec(kinds)?.[1];
  if (name === undefined || path === undefined) throw new Error(`the indicator ${kind} has no function`);
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport function ${name}\\b`).exec(read(path))?.[1];
  if (comment === undefined) throw new Error(`${name} in ${path} has no comment`);
  return `${comment.replaceAll(/\n \*/g, ' ').replaceAll(/\s+/g, ' ').trim()} ([${path}](../${path}))`;
}

function factRows(): string[] {
  const body = /export interface Facts \{([^]*?)\n\}/.exec(read('authoring/strategy.ts'))?.[1] ?? '';
  return body
    .split('/** ')
    .slice(1)
    .map((part) => {
      const names = [...part.matchAll(/readonly (\w+): (\w+);/g)].map(([, name]) => `\`${name}\``);
      return row(names.join(', '), (part.split('*/')[0] ?? '').replaceAll(/\s*\n\s*\*\s*/g, ' ').trim());
    });
}

/** Every indicator and every fact that the rules of a strategy file read. */
export function strategyReference(): string {
  const all = documentedIndicators();
  const declared = declaredExamples(all);
  const documented = new Set(declared.map(({ kind }) => kind));
  const missing = Object.keys(KINDS).filter((kind) => !documented.has(kind));
  if (missing.length > 0) throw new Error(`without an @example in authoring/strategy.ts: ${missing.join(', ')}`);
  const rows = all.flatMap(({ name, says, parameters, example }, i) => {
    const { kind = '', params = [], of } = declared[i] ?? {};
    const known = KINDS[kind];
    if (known === undefined) return [];
    const source = known.line ? `${of ?? 'close'}, or \`of\`` : 'candle';
    const candles = `\`${example}\`: ${known.need(params)}, ${known.settled(params)}`;
    const values = known.fields.map((field) => `\`${field}\``).join(', ');
    return [row(`\`${name}${parameters}\``, says, values, source, candles)];
  });
  const formulas = all.map(({ name }, i) => `- **${name}**: ${formulaOf(declared[i]?.kind ?? '')}`);
  return [
    '# Indicators and facts of a strategy file',
    BY_HAND,
    'A [strategy file](your-strategy.md) imports the indicators from `tradewind/strategy` and declares them in `indicators`. A rule reads their values by the declared name, such as `rsi.value`, and those of the candle before as `rsi.before.value`. Lengths are numbers of candles.',
    '## Indicators',
    "*Source*: `of` names a part of the candle (`open`, `high`, `low`, `close`, `volume`) or a value of an indicator that is declared before, such as `'bands.width'`; *candle* means that the indicator reads the parts of the candle that its formula names, and has no other source. *Warm-up*: candles until the example has values, then candles that the service loads before the first decision, so that the start of the data has no influence. The rules run when every indicator has a value at this candle and at the one before. `on('1d', ema(50))` is an indicator on longer candles; its lengths and its warm-up then count those.",
    ['| indicator | meaning | values | source | warm-up |', '|---|---|---|---|---|', ...rows].join('\n'),
    '## Formulas',
    formulas.join('\n'),
    '## Facts',
    ['| fact | meaning |', '|---|---|', ...factRows()].join('\n'),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}
