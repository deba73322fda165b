import { readdirSync } from 'node:fs';
import { isObject } from '#core/merge.ts';

/** Every export of the modules in a folder, with its name, without those of `except`, the address of a module. */
export async function exportsIn(folder: URL, except: string): Promise<[string, unknown][]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const addresses = files.toSorted().map((name) => new URL(name, folder).href);
  const modules = await Promise.all(
    addresses.filter((address) => address !== except).map((address): Promise<unknown> => import(address)),
  );
  return modules.flatMap((module) => (isObject(module) ? Object.entries(module) : []));
}
