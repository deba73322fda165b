import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { OPERATIONS } from '#api/contract/contract.ts';
import { DEMO_LOCKS } from '#api/contract/demo-locks.ts';
import { DOOR_LOCKS } from '#api/contract/door-locks.ts';
import type { Operation } from '#api/contract/operation.ts';
import { needOf } from '#api/contract/scopes.ts';
import { EXIT_CAUSES } from '#core/decision/exit-cause.ts';
import { isObject } from '#core/merge.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { conformance } from './conformance.ts';
import { dashboard, metrics } from './metrics.ts';
import { orderLife } from './order-life.ts';
import { strategyReference } from './own-strategies.ts';
import { performancePage } from './performance.ts';
import { BY_HAND, row } from './text.ts';
import { ROOT } from '#test/harness/source-files.ts';

/** Documents that are made from the code: `npm run documents` writes them, a test compares them. */
export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  NOTICE: notice,
  'docs/strategies.md': strategies,
  'docs/strategy-reference.md': strategyReference,
  'docs/api.md': operations,
  'docs/conformance.md': conformance,
  'docs/order-life.md': orderLife,
  'docs/performance.md': performancePage,
  'docs/operator/metrics.md': metrics,
  'deploy/observability/dashboard.json': dashboard,
};

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

/** Everything that `npm start` installs, including what the web app is built of: name, version and licence. */
function notice(): string {
  const { packages } = lockfile.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const shipped = Object.keys(packages).filter((path) => path !== '' && packages[path]?.dev !== true);
  const lines = shipped.toSorted().map((path) => {
    const { version = '', license = 'not stated' } = packages[path] ?? {};
    return `${path.replace(/^.*node_modules\//, '')} ${version}: ${license}`;
  });
  return [
    'Tradewind',
    'Licensed under the Apache License, Version 2.0; see LICENSE.',
    '',
    'It installs, or its web app is built of, these packages, under the licences that they state:',
    '',
    ...lines,
    '',
  ].join('\n');
}

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8').trimEnd();

/** Every setting of every strategy with its texts of the form, and the rules that are written next to the code. */
function strategies(): string {
  const parts = [...STRATEGIES.values()].map(({ name, title, summary, config, reasons }) => {
    const schema: unknown = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' });
    const settings = [...settingsOf(schema, '')];
    return [
      `## ${title}`,
      `\`${name}\`: ${summary}`,
      settings.length === 0
        ? 'It has no settings.'
        : ['| setting | default | what it does |', '|---|---|---|', ...settings].join('\n'),
      `Its reasons: ${Object.keys(reasons)
        .map((code) => `\`${code}\``)
        .join(', ')}.`,
      ...[`strategies/${name}/rules.md`].filter((path) => existsSync(join(ROOT, path))).map(textOf),
    ].join('\n\n');
  });
  const [shared, fillModel] = ['strategies/rules.md', 'backtest/rules.md'].map(textOf);
  const all = ['# Strategies and their rules', BY_HAND, shared, ...parts, ...causesOfSales(), fillModel, ''];
  return all.join('\n\n').replace(/\n+$/, '\n');
}

function causesOfSales(): string[] {
  return [
    '## Why a position was sold',
    'Every sale carries a reason: in its order, in the closed trade, in the files of the history and in backtests. The stop on the exchange is at the highest stop level of the strategy, and its order carries the reason of that level; of equal levels the stop loss comes first, then the break-even floor, then the trail. A stop that moves to another level is a new order with a new reason. A stop that was triggered and has not sold in time is followed by a sale at the market: a failed stop.',
    [
      row('reason', 'shown as'),
      '|---|---|',
      ...Object.entries(EXIT_CAUSES).map(([code, words]) => row(`\`${code}\``, words)),
    ].join('\n'),
    'Orders of versions that did not distinguish the levels keep `exit-protective-stop`.',
  ];
}

function* settingsOf(schema: unknown, path: string): Generator<string> {
  if (!isObject(schema)) return;
  const below = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  for (const [name, field] of below) yield* settingsOf(field, path === '' ? name : `${path}.${name}`);
  if (isObject(schema['items'])) yield* settingsOf(schema['items'], `${path}[]`);
  const { title, description } = schema;
  if (below.length > 0 || isObject(schema['items']) || typeof title !== 'string') return;
  const text = [`${title}: ${String(description ?? '')}`, ...rangeOf(schema), ...choicesOf(schema)].join('; ');
  yield row(`\`${path}\``, defaultOf(schema['default']), text);
}

const defaultOf = (value: unknown): string => (value === '' ? 'off' : `\`${JSON.stringify(value) ?? 'none'}\``);

/** Meaning of the stored values that a form shows in percent. */
const SHOWN_IN_PERCENT: Readonly<Record<string, string>> = {
  below: '0.97 is 3 % below',
  above: '1.03 is 3 % above',
  around: '1.03 is 3 % above, 0.97 is 3 % below',
  share: '0.03 is 3 %',
  bps: '1 is 0.01 %',
};

function rangeOf({ form, minimum, maximum }: Readonly<Record<string, unknown>>): string[] {
  const hint = isObject(form) ? form : {};
  const bounds = isObject(hint['bounds']) ? hint['bounds'] : { atLeast: minimum, atMost: maximum };
  const limits = Object.entries({ above: 'above', atLeast: 'at least', below: 'below', atMost: 'at most' }).flatMap(
    ([key, word]) => (bounds[key] === undefined ? [] : [`${word} ${String(bounds[key])}`]),
  );
  const measure = hint['unit'] ?? SHOWN_IN_PERCENT[String(hint['percent'])];
  const unit = typeof measure === 'string' ? [`(${measure})`] : [];
  return limits.length === 0 ? unit : [[limits.join(' and '), ...unit].join(' ')];
}

const choicesOf = (schema: Readonly<Record<string, unknown>>): string[] =>
  Array.isArray(schema['enum']) ? [schema['enum'].map(String).join(', ')] : [];

function whoOf(operation: Operation): string {
  const need = needOf(operation);
  if (need === 'public') return 'anyone';
  return need === 'session' ? need : `session, or token: ${need}`;
}

/** Every operation of the API with who may call it. */
function operations(): string {
  const locks = new Map(
    [...DEMO_LOCKS, ...DOOR_LOCKS].map(({ method, path, reason }) => [`${method} ${path}`, reason]),
  );
  const rows = OPERATIONS.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)).map((operation) => {
    const { method, path, summary } = operation;
    const lock = locks.get(`${method} ${path}`);
    return row(`\`${method} ${path}\``, summary, whoOf(operation), lock ?? '');
  });
  return [
    '# Operations of the API',
    BY_HAND,
    'All paths begin with `/api`. `GET /api/docs` shows them with their fields, `GET /api/openapi.json` describes them for programs. The last column says why a [live demo](operator/live-demo.md) refuses an operation.',
    ['| operation | what it does | who | in a live demo |', '|---|---|---|---|', ...rows].join('\n'),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}
