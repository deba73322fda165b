import { gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The development server passes API calls on to a running service on its default port. */
const API = 'http://127.0.0.1:8080';

/** The limit of the first page view, gzipped. */
const MOST_FIRST_KB = 130;

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

/** Fails the build when the script of the first page view has grown too large. */
function firstLoadLimit(): Plugin {
  return {
    name: 'first-load-limit',
    generateBundle(_options, bundle) {
      const first = new Set<string>();
      const add = (name: string): void => {
        const chunk = bundle[name];
        if (chunk?.type !== 'chunk' || first.has(name)) return;
        first.add(name);
        for (const other of chunk.imports) add(other);
      };
      for (const [name, chunk] of Object.entries(bundle)) if (chunk.type === 'chunk' && chunk.isEntry) add(name);
      const sizes = [...first].map((name) => {
        const chunk = bundle[name];
        return chunk?.type === 'chunk' ? gzipSync(chunk.code).length : 0;
      });
      const kb = sizes.reduce((sum, size) => sum + size, 0) / 1000;
      this.info(`the first page view loads ${kb.toFixed(1)} kB of script, gzipped`);
      if (kb > MOST_FIRST_KB)
        this.error(`The first page view loads ${kb.toFixed(1)} kB of script; at most ${MOST_FIRST_KB} kB are wanted.`);
    },
  };
}

export default defineConfig({
  root: 'web',
  base: '/',
  plugins: [bareContract(), react(), tailwindcss(), firstLoadLimit()],
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  server: { proxy: { '/api': { target: API, ws: true } } },
});
