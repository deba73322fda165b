import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** A fenced block of a document, which a reader copies into a shell, a database or a file. */
export interface Fenced {
  /** The document from the checkout, and the line of the fence. */
  readonly path: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** A requirement that tests cannot meet, from `<!-- needs: … -->` above the block. */
  readonly needs: string | undefined;
  /** File name from the line before the block, such as `basket.json`. */
  readonly file: string | undefined;
}

const NEEDS = /^<!-- needs: (.+) -->$/;

/** Documents with commands for operators. */
export function operatorDocuments(): string[] {
  const operator = readdirSync(join(ROOT, 'docs', 'operator')).map((name) => `docs/operator/${name}`);
  const parts = readdirSync(join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('README.md') && !path.includes('node_modules'))
    .map((path) => `deploy/${path.replaceAll('\\', '/')}`);
  return ['README.md', 'docs/your-strategy.md', ...operator.toSorted(), ...parts.toSorted()];
}

/** The fenced blocks of one document, in their order. */
export function fencedBlocks(path: string): Fenced[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  const blocks: Fenced[] = [];
  for (let i = 0; i < lines.length; i++) {
    const open = /^```(\w*)$/.exec(lines[i] ?? '');
    if (open === null) continue;
    const end = lines.indexOf('```', i + 1);
    if (end < 0) throw new Error(`${path}:${i + 1} opens a block that nothing closes.`);
    const above = (lines[i - 1] === '' ? lines[i - 2] : lines[i - 1]) ?? '';
    blocks.push({
      ...{ path, line: i + 1, language: open[1] ?? '', text: lines.slice(i + 1, end).join('\n') },
      needs: NEEDS.exec(lines[i - 1] ?? '')?.[1],
      file: /`([\w.-]+\.json)`:$/.exec(above)?.[1],
    });
    i = end;
  }
  return blocks;
}
