import { type CheckedBound, checkStrategy } from '#backtest/check/check.ts';
import { codeOf } from '#authoring/description.ts';
import { ownStrategy } from '#authoring/own-strategy.ts';
import { isObject } from '#core/merge.ts';
import { type LoadedVersion, loadVersion, StrategyRefused } from './version.ts';

/** Milliseconds for one candle while the check looks for a rule that hangs. */
const STEP_LIMIT_MS = 500;

process.on('disconnect', () => process.exit(0));
process.once('message', (start: unknown) => {
  if (!isObject(start)) throw new Error('a check is started by its command');
  process.send?.(answer(String(start['name']), String(start['text'])));
});

function loaded(file: string, source: string): LoadedVersion {
  const found = loadVersion(file, source);
  if (found.kind === 'refused') throw new StrategyRefused(found.sentence);
  return found.version;
}

function answer(file: string, source: string): object {
  try {
    const version = loaded(file, source);
    const { description, hash, declared } = version;
    const { settings, entry, exit } = description;
    const report = checkStrategy({
      load: () => ownStrategy(loaded(file, source)),
      probe: ownStrategy(limited(version)),
      codes: [...entry, ...exit].map(codeOf),
      bounds: Object.entries(settings).map(([path, { kind, from, to, options }]): CheckedBound => {
        if (kind === 'flag') return { path, values: [true, false] };
        if (kind === 'choice') return { path, values: options ?? [] };
        return { path, values: [from ?? 0, to ?? 0].map((each) => (kind === 'count' ? each : String(each))) };
      }),
      scales: description.scales !== false,
    });
    return { ...report, file, hash, name: description.name, title: description.title, description, declared };
  } catch (error) {
    return { passed: false, file, refused: error instanceof Error ? error.message : String(error) };
  }
}

/** A version that names the rule which hangs, before any run without a limit. */
function limited(version: LoadedVersion): LoadedVersion {
  return {
    ...version,
    open(values, layout, memory) {
      const file = version.open(values, layout, memory);
      return { ...file, cells: file.cells, step: () => void version.stepWithin(file, STEP_LIMIT_MS) };
    },
  };
}
