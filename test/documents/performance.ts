import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFigures, tableOf } from '#test/bench/figures.ts';
import { ROOT } from '#test/harness/source-files.ts';

const PAGE = join(ROOT, 'docs', 'performance.md');
const [BEGIN, END] = [
  '<!-- Made from test/bench/figures.json by `npm run documents`. -->',
  '<!-- The end of the table. -->',
];

/** The page with the table of the figures of test/bench/figures.json; its other text is written by hand. */
export function performancePage(): string {
  const text = readFileSync(PAGE, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from === -1 || to < from)
    throw new Error(`docs/performance.md needs the lines ${BEGIN} and ${END} in this order.`);
  return `${text.slice(0, from)}${BEGIN}\n\n${tableOf(readFigures())}\n\n${text.slice(to)}`;
}
