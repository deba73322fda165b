import { parentPort } from 'node:worker_threads';
import { ownStrategy } from '#authoring/own-strategy.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy, StrategyFile } from '#strategies/strategy.ts';
import { loadVersion, StrategyRefused } from './version.ts';

/**
 * The strategy of a file, evaluated in this thread. The thread that started it can watch the file (watch.ts). Throws StrategyRefused with a sentence that names file and line.
 */
export function strategyOf({ name, text }: StrategyFile): AnyStrategy {
  const loaded = loadVersion(name, text);
  if (loaded.kind === 'refused') throw new StrategyRefused(loaded.sentence);
  parentPort?.postMessage(loaded.version.watched);
  return ownStrategy(loaded.version);
}

/** The strategy of a run: that of its file, or the built-in one of that name. */
export const findStrategy = (name: string, file: StrategyFile | undefined): AnyStrategy | undefined =>
  file === undefined ? STRATEGIES.get(name) : strategyOf(file);
