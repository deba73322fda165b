import { readFileSync } from 'node:fs';
import { constants, createContext, Script } from 'node:vm';
import type { LoadedFile, RunningFile } from '#authoring/moment.ts';
import { isObject } from '#core/merge.ts';
import type { StrategySource } from './source.ts';
import { stripTypes } from './strip-types.ts';

/*
 * The context of a strategy file: a realm of its own in node:vm, with frozen built-ins and without clock, chance,
 * promises, timers, code from text, and everything of Node. Only numbers and text pass. An object of this realm must
 * never be passed in: its constructor would be a way out.
 */

/** Built-ins that a rule does not need and that could make it wait, differ between runs, or reach out. */
const REMOVED = [
  ...['Date', 'Promise', 'WeakRef', 'FinalizationRegistry', 'Intl', 'SharedArrayBuffer', 'Atomics', 'WebAssembly'],
  ...['console', 'eval', 'Temporal', 'AsyncDisposableStack', 'Proxy'],
];

const HARDEN = `'use strict';(() => {
  for (const name of ${JSON.stringify(REMOVED)}) delete globalThis[name];
  delete Math.random;
  delete Array.fromAsync;
  for (const kind of [Object, Array, Number, BigInt, String, Object.getPrototypeOf(Float64Array)])
    for (const key of Object.getOwnPropertyNames(kind.prototype)) if (/locale/i.test(key)) delete kind.prototype[key];
  Error.stackTraceLimit = 6;
  const seen = new Set();
  const freeze = (value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
    seen.add(value);
    Object.freeze(value);
    freeze(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const { value: inner, get, set } = Object.getOwnPropertyDescriptor(value, key);
      for (const each of [inner, get, set]) freeze(each);
    }
  };
  for (const key of Reflect.ownKeys(globalThis)) freeze(Object.getOwnPropertyDescriptor(globalThis, key).value);
  freeze(Object.getPrototypeOf(function* () {}));
  freeze(Object.getPrototypeOf([][Symbol.iterator]()));
  freeze(Object.getPrototypeOf(''[Symbol.iterator]()));
  freeze(Object.getPrototypeOf(new Map()[Symbol.iterator]()));
  freeze(Object.getPrototypeOf(new Set()[Symbol.iterator]()));
  freeze(Object.getPrototypeOf(/a/[Symbol.matchAll]('a')));
  Object.freeze(globalThis);
})()`;

/** The work that runs next in the context, under a time limit. */
interface Harness {
  /** `work` is a function of the context, called by `run`. */
  arm(work: unknown, ...texts: string[]): void;
  /** Evaluates the function of a file at the next `run`. */
  armLoad(file: unknown): void;
  run(): unknown;
}

const isHarness = (value: unknown): value is Harness =>
  isObject(value) && typeof value['arm'] === 'function' && typeof value['run'] === 'function';
const isLoaded = (value: unknown): value is LoadedFile =>
  isObject(value) && typeof value['description'] === 'string' && typeof value['open'] === 'function';
const isRunning = (value: unknown): value is RunningFile =>
  isObject(value) && ArrayBuffer.isView(value['cells']) && typeof value['step'] === 'function';

const EXPORTED = /^export (const|class|function|interface|type) /gm;

/** A module of `authoring` as the body of a function that returns its exports. */
function moduleText(name: string): string {
  const source = readFileSync(new URL(`../../authoring/${name}.ts`, import.meta.url), 'utf8');
  const code = stripTypes(source);
  const names = Array.from(code.matchAll(/^export (?:const|class|function) (\w+)/gm), ([, found]) => found);
  return `(() => {${code.replaceAll(EXPORTED, '$1 ')}\nreturn Object.freeze({ ${names.join(', ')} });})()`;
}

let made: Script | undefined;
const harnessScript = (): Script =>
  (made ??= new Script(
    `'use strict';(() => {
      const sdk = ${moduleText('strategy')};
      const { loadDefinition } = ${moduleText('moment')};
      let next = () => undefined;
      const harness = Object.freeze({
        arm(work, ...texts) { next = () => work(...texts); },
        // A getter of a thrown object is code of the file: its text is read here, under the time limit.
        run() {
          const work = next;
          next = () => undefined;
          try {
            return work();
          } catch (thrown) {
            throw Object.freeze({ stack: String(thrown?.stack ?? thrown) });
          }
        },
        armLoad(file) {
          next = () => {
            const exported = { value: undefined };
            file(sdk, exported);
            return loadDefinition(exported.value);
          };
        },
      });
      Object.defineProperty(globalThis, 'tradewindHarness', { value: harness });
      return harness;
    })()`,
    { filename: 'tradewind-harness.js' },
  ));
let hardening: Script | undefined;
const RUN = new Script('tradewindHarness.run()', { filename: 'tradewind-run.js' });

/** A file took longer than its limit. */
export class StrategyHung extends Error {}

/** The error is of the realm of the context. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** One file in its context. */
export interface StrategyContext {
  readonly description: string;
  /** See authoring/moment.ts. */
  readonly pulse: Float64Array;
  /** The declared indicators as JSON. Throws what the file throws, or StrategyHung. */
  declare(settings: string): string;
  open(settings: string, layout: string, memory: string): RunningFile;
  /** Answers the questions in the cells within `limitMs`; returns the prices of `lines` as JSON. Throws StrategyHung. */
  stepWithin(file: RunningFile, limitMs: number): string;
}

/** Milliseconds for the statements of a file, and for its declarations. */
const LOAD_LIMIT_MS = 1_000;

/** Evaluates a file in a new context. Throws what the file throws, or StrategyHung. */
export function openContext({ file, script }: StrategySource): StrategyContext {
  const context = createContext(constants.DONT_CONTEXTIFY, {
    name: file,
    codeGeneration: { strings: false, wasm: false },
  });
  const harness: unknown = harnessScript().runInContext(context);
  hardening ??= new Script(HARDEN, { filename: 'tradewind-harden.js' });
  hardening.runInContext(context);
  if (!isHarness(harness)) throw new Error('the harness of a strategy file is missing');
  const run = (limitMs: number): unknown => {
    try {
      return RUN.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (isTimeout(error)) throw new StrategyHung(`no answer within ${limitMs} ms`);
      throw error;
    }
  };
  const within = (limitMs: number, work: unknown, ...texts: string[]): unknown => {
    harness.arm(work, ...texts);
    return run(limitMs);
  };
  const body: unknown = new Script(script, { filename: file }).runInContext(context);
  harness.armLoad(body);
  const loaded = run(LOAD_LIMIT_MS);
  if (!isLoaded(loaded)) throw new Error('the strategy file did not load');
  return {
    description: loaded.description,
    pulse: loaded.pulse,
    declare(settings) {
      const declared = within(LOAD_LIMIT_MS, loaded.declare, settings);
      return typeof declared === 'string' ? declared : '{}';
    },
    open(settings, layout, memory) {
      const running = within(LOAD_LIMIT_MS, loaded.open, settings, layout, memory);
      if (!isRunning(running)) throw new Error('the strategy file did not open');
      return running;
    },
    stepWithin(running, limitMs) {
      within(limitMs, running.step);
      const lines = within(limitMs, running.lines);
      return typeof lines === 'string' ? lines : '{}';
    },
  };
}
