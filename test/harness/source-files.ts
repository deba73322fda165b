import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..', '..');

const LEFT_OUT = new Set(['node_modules', '.venv', '.git', '.tradewind', 'dist']);

/** A source file by its path from the checkout, always with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (LEFT_OUT.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else yield path;
  }
}

/** Every file of the checkout whose name ends in one of `endings`, in order of path. */
export const readSourceFiles = (...endings: string[]): SourceFile[] =>
  [...walk(ROOT)]
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .map((path) => ({ path: relative(ROOT, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));

/** Static, dynamic, re-exporting and side-effect imports, without those inside line comments. */
const IMPORT = /(?:^|[^\w'".])(?:import|export)\b(?:[\s\w*{},$]*?\bfrom)?\s*\(?\s*(['"])([^'"\n]+)\1/g;

/** Imports of a file: paths from the checkout for our own files, else the bare specifier. */
export function importsOf({ path, text }: SourceFile): string[] {
  const code = text.replace(/^\s*(?:\/\/|\*).*$/gm, '');
  return Array.from(code.matchAll(IMPORT), (match) => resolveImport(path, match[2] ?? ''));
}

function resolveImport(from: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (!specifier.startsWith('.')) return specifier;
  return relative(ROOT, resolve(ROOT, dirname(from), specifier))
    .split(sep)
    .join('/');
}

/** True when `path` leads to one of `targets`, directly or through our own files. */
export function reaches(path: string, targets: ReadonlySet<string>, files: ReadonlyMap<string, SourceFile>): boolean {
  const seen = new Set<string>();
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (targets.has(next)) return true;
    const file = files.get(next);
    if (seen.has(next) || file === undefined) continue;
    seen.add(next);
    waiting.push(...importsOf(file));
  }
  return false;
}
