import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The development server passes API calls on to a running service on its default port. */
const API = 'http://127.0.0.1:8080';

/** Maximum script of a first visit and of a page of a signed-in operator, gzipped. */
const MAX_FIRST_KB = 130;
const MAX_PAGE_KB = 170;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** An operation as the browser needs it, plain data as it is, `undefined` for a schema. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (!isRecord(value) || 'parse' in value) return undefined;
  if (!('method' in value)) return value;
  const { method, path, upload } = value;
  return { method, path, upload };
}

/** The browser gets methods and paths of the contract, and its types: the api has checked both sides already. */
function bareContract(): Plugin {
  return {
    name: 'bare-contract',
    async load(id) {
      if (!/\/(api\/contract\/[\w-]+|core\/installation\/events)\.ts$/.test(id)) return undefined;
      const exported: unknown = await import(/* @vite-ignore */ id);
      return Object.entries(isRecord(exported) ? exported : {})
        .flatMap(([name, value]) => {
          const plain = plainOf(value);
          return plain === undefined ? [] : [`export const ${name} = ${JSON.stringify(plain)};`];
        })
        .join('\n');
    },
  };
}

/** The page of a new installation; every other page of the router is for a signed-in operator. */
const FIRST_PAGE = 'web/welcome/welcome.tsx';
const SIGN_IN = 'web/shell/sign-in.tsx';
const SHELL = 'web/shell/shell.tsx';

/** Prints how much script the pages load, and fails the build when one has grown too large. */
function scriptLimits(): Plugin {
  return {
    name: 'script-limits',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []));
      const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const entry = chunks.find(({ isEntry }) => isEntry);
      if (entry === undefined) return;
      const chunkOf = (path: string) => chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${path}`));
      const bytesOf = (chunk: { readonly code: string }): number => gzipSync(chunk.code).length;
      const kbOf = (...first: readonly ({ readonly fileName: string } | undefined)[]): number => {
        const loaded = new Set<string>();
        const add = (name: string): void => {
          if (loaded.has(name)) return;
          loaded.add(name);
          for (const other of byName.get(name)?.imports ?? []) add(other);
        };
        for (const chunk of [entry, ...first]) if (chunk !== undefined) add(chunk.fileName);
        return [...loaded].reduce((sum, name) => sum + bytesOf(byName.get(name) ?? { code: '' }), 0) / 1000;
      };
      const check = (name: string, kb: number, limit: number): void => {
        this.info(`${name}: ${kb.toFixed(1)} kB of script, gzipped`);
        if (kb > limit) this.error(`${name} loads ${kb.toFixed(1)} kB of script; the limit is ${limit} kB.`);
      };
      check('The first visit', kbOf(chunkOf(FIRST_PAGE)), MAX_FIRST_KB);
      check('The sign-in', kbOf(chunkOf(SIGN_IN)), MAX_FIRST_KB);
      for (const name of entry.dynamicImports) {
        const page = byName.get(name);
        const path = page?.facadeModuleId?.replace(/^.*\/web\//, 'web/');
        if (path !== undefined && ![FIRST_PAGE, SIGN_IN, SHELL].includes(path))
          check(path, kbOf(chunkOf(SHELL), page), MAX_PAGE_KB);
      }
    },
  };
}

export default defineConfig({
  root: 'web',
  base: '/',
  plugins: [bareContract(), react(), scriptLimits()],
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  server: { proxy: { '/api': { target: API, ws: true } } },
});
