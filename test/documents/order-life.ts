import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#test/harness/source-files.ts';

const MODEL = 'test/model/orders.qnt';
const MOVE = /^ {4}\/\/ (.+)\n {4}\{ before: "([\w-]+)", step: "(\w+)", after: "([\w-]+)" \}/gm;
const INVARIANT = /((?:^ {2}\/\/ .+\n)+)^ {2}val (\w+) =/gm;
const BROKEN = /^module (\w+)Broken \{ import orders\(FAULT = "([\w-]+)"\)/gm;

/** The states of an order and the invariants of the protocol, as the model that is checked declares them. */
export function orderLife(): string {
  const text = readFileSync(join(ROOT, MODEL), 'utf8');
  const moves = Array.from(text.matchAll(MOVE), ([, why = '', before = '', step = '', after = '']) => ({
    ...{ why, before, step, after },
  }));
  const faults = new Map(Array.from(text.matchAll(BROKEN), ([, name = '', fault = '']) => [name, fault]));
  const invariants = Array.from(text.matchAll(INVARIANT), ([, comment = '', name = '']) => ({
    name,
    says: comment
      .replaceAll(/^ {2}\/\/ /gm, '')
      .trim()
      .replaceAll('\n', ' '),
  })).filter(({ name }) => faults.has(name));
  const ends = new Set(moves.map(({ after }) => after).filter((state) => !moves.some((move) => move.before === state)));
  return [
    '# The life of an order',
    'Made from the model by `npm run documents`; change it there.',
    `A row of the table \`orders\` starts as \`intent\`, committed before anything is sent. \`test/model/orders.qnt\` is the whole protocol as a model; \`npm run model\` checks it ([decision 39](decisions/0039-a-model-of-the-order-protocol.md)). \`engine/tick/execute.ts\` describes the same in prose.`,
    '## States',
    ['```mermaid', 'stateDiagram-v2', '  [*] --> intent', ...edgesOf(moves), ...Array.from(ends, endOf), '```'].join(
      '\n',
    ),
    [
      '| from | step | to | when |',
      '|---|---|---|---|',
      ...moves.map(({ before, step, after, why }) => `| \`${before}\` | ${step} | \`${after}\` | ${why} |`),
    ].join('\n'),
    `Final states: ${Array.from(ends, (state) => `\`${state}\``).join(', ')}. A restore of a backup brings rows back to earlier states; the coin is then compared with the exchange.`,
    '## Invariants',
    'Each must hold in every state. The rule in the last column is left out in a variant of the model, to show that the invariant can fail.',
    [
      '| invariant | says | fails with |',
      '|---|---|---|',
      ...invariants.map(({ name, says }) => `| \`${name}\` | ${says} | \`${faults.get(name) ?? ''}\` |`),
    ].join('\n'),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

interface Edge {
  readonly before: string;
  readonly step: string;
  readonly after: string;
}

/** Names of a diagram hold no hyphen. */
const nameOf = (state: string): string => state.replaceAll('-', '_');
const edgesOf = (moves: readonly Edge[]): string[] =>
  moves.map(({ before, step, after }) => `  ${nameOf(before)} --> ${nameOf(after)}: ${step}`);
const endOf = (state: string): string => `  ${nameOf(state)} --> [*]`;
