import { importsOf, type SourceFile } from './source-files.ts';

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|interface|type|function\*?) (?!\{)([\w$]+)/gm;
const EXPORT_LIST = /^export (?:type )?\{([^}]*)\}/gm;
/** Imports and re-exports with names; a name in front of the braces is the default export. */
const NAMED = /^(?:import|export) (?:type )?(?:[\w$]+, )?\{([^}]*)\} from '([^']+)'/gm;

/** The names between braces: local name (`from`) and external name (`to`). */
const listed = (names: string): { readonly from: string; readonly to: string }[] =>
  names
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
    .map((name) => {
      const [from = '', to = from] = name.split(' as ');
      return { from, to };
    });

/** The names that a file exports, at their declaration or in a list. */
const exportsOf = ({ text }: SourceFile): string[] => [
  ...Array.from(text.matchAll(EXPORT), ([, name]) => name ?? ''),
  ...Array.from(text.matchAll(EXPORT_LIST), ([, names = '']) => listed(names).map(({ to }) => to)).flat(),
];

/** The names that a file imports from each of our own files; `*` where it imports or starts the whole file. */
function namesUsedIn(file: SourceFile): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  const add = (path: string, names: readonly string[]): void =>
    void used.set(path, new Set([...(used.get(path) ?? []), ...names]));
  const named = Array.from(file.text.matchAll(NAMED));
  for (const [statement, names = ''] of named) {
    const [path = ''] = importsOf({ path: file.path, text: statement });
    add(
      path,
      listed(names).map(({ from }) => from),
    );
  }
  const others = named.reduce((text, [statement]) => text.replace(statement, ''), file.text);
  for (const path of importsOf({ path: file.path, text: others })) add(path, ['*']);
  return used;
}

interface Exported extends SourceFile {
  readonly name: string;
  /** Paths of the other files that import it. */
  readonly importers: readonly string[];
}

/** Every export of `files` with the file that declares it and the files that import it. */
export function exportsWithImporters(files: readonly SourceFile[]): Exported[] {
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const [path, names] of namesUsedIn(file))
      for (const name of path === file.path ? [] : names) {
        const key = `${path} ${name}`;
        importers.set(key, [...(importers.get(key) ?? []), file.path]);
      }
  const importersOf = (path: string, name: string): string[] =>
    [name, '*'].flatMap((importedName) => importers.get(`${path} ${importedName}`) ?? []);
  return files.flatMap((file) =>
    exportsOf(file).map((name) => ({ ...file, name, importers: importersOf(file.path, name) })),
  );
}
