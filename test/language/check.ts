import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ROOT, readSourceFiles } from '#test/harness/source-files.ts';
import { type Finding, findWords, judge, placeOf } from './findings.ts';

const USAGE = `node test/language/check.ts [--shrink] [beginning of a path …]
Checks comments, messages, labels and documents for words of test/language/words.ts. With paths, prints every finding
below them. --shrink lowers the counts of test/language/exempt.json to the present ones.`;

const EXEMPT = join(ROOT, 'test', 'language', 'exempt.json');
const ENDINGS = ['.md', '.ts', '.tsx', '.js', '.css', '.sh', '.yaml', '.yml', '.py', '.conf'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { shrink: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

process.exitCode = values.help ? help() : main();

function help(): number {
  console.log(USAGE);
  return 0;
}

function main(): number {
  const findings = readSourceFiles(...ENDINGS).flatMap(findWords);
  const exempt = z.record(z.string(), z.number()).parse(JSON.parse(readFileSync(EXEMPT, 'utf8')));
  if (positionals.length > 0) {
    const below = findings.filter(({ path }) => positionals.some((beginning) => path.startsWith(beginning)));
    for (const finding of below) console.log(lineOf(finding));
    return below.length === 0 ? 0 : 1;
  }
  if (values.shrink) return shrink(findings, exempt);
  const { wrong, complaints } = judge(findings, exempt);
  for (const finding of wrong) console.log(lineOf(finding));
  for (const complaint of complaints) console.log(complaint);
  const left = Object.values(exempt).reduce((sum, count) => sum + count, 0);
  console.log(`Words: ${wrong.length} findings; ${left} more in ${Object.keys(exempt).length} exempt places.`);
  return wrong.length + complaints.length === 0 ? 0 : 1;
}

function lineOf({ path, line, words, better }: Finding): string {
  return `${path}:${line}: "${words}" -> ${better}`;
}

/** Never raises a count and never adds a place. */
function shrink(findings: readonly Finding[], exempt: Readonly<Record<string, number>>): number {
  const counts = Map.groupBy(findings, ({ path }) => placeOf(path));
  const lowered = Object.entries(exempt).flatMap(([place, count]) => {
    const present = counts.get(place)?.length ?? 0;
    return present === 0 ? [] : [[place, Math.min(count, present)] as const];
  });
  writeFileSync(EXEMPT, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
  return 0;
}
