import { type Interval, MOST_CLOSED } from '#core/market/candle.ts';
import { queueingOf } from '#strategies/execution.ts';
import type { AnyStrategy, BoundStrategy, CandleNeed, Drawings, StrategyFile } from '#strategies/strategy.ts';
import { answersOf } from './answers.ts';
import type { DeclaredIndicators, Description } from './description.ts';
import { indicatorField } from './explain.ts';
import { type AnyRunningFile, createOwnInstance } from './instance.ts';
import { configSchema, readConfig, sharedOf, type Values, valuesOf } from './schema.ts';
import { candlesFor, layoutOf } from './series.ts';

/** One version of a strategy file, wherever it runs. */
export interface StrategyVersion {
  /** SHA-256 of its content, in hex. */
  readonly hash: string;
  readonly description: Description;
  readonly file?: StrategyFile;
  /** The indicators for these settings. Throws a sentence when the file throws. */
  declare(values: Values): DeclaredIndicators;
  open(values: Values, layout: string, memory: string): AnyRunningFile;
  /** Why it may not buy now. */
  halted?(): { readonly reason: 'strategy-quarantined' | 'strategy-file-gone'; readonly problem: string } | null;
}

/** The name of a strategy with its version, as profiles and runs store it: `my-rsi@<sha256>`. */
export const referenceOf = (name: string, hash: string): string => `${name}@${hash}`;

/** Name and version of a reference; the version of a built-in strategy is null. */
export function readReference(reference: string): { readonly name: string; readonly hash: string | null } {
  const [name = '', hash] = reference.split('@', 2);
  return { name, hash: hash ?? null };
}

/** Two versions of one strategy file. */
export function isSameFile(before: string, after: string): boolean {
  const [one, other] = [readReference(before), readReference(after)];
  return one.hash !== null && other.hash !== null && one.name === other.name;
}

const DASHES = ['solid', 'dashed', 'dotted'] as const;

/** The lines of a chart: indicators, prices of the file, stop and target. */
function drawingsOf(description: Description, declared: DeclaredIndicators): Drawings {
  const average = { from: 'close', acts: false, dash: 'solid' } as const;
  const drawn = drawnOf(declared);
  const lines = drawn.map(({ name, pane }, i) => {
    if (pane === null) return { ...average, name, label: name };
    const above = drawn.slice(0, i).filter((other) => other.pane === pane).length;
    return { ...average, name, label: name, pane, dash: DASHES[Math.min(above, 2)] ?? 'solid' };
  });
  const own = Object.keys(description.lines).map((name) => ({
    ...average,
    name,
    label: name,
    dash: 'dotted' as const,
  }));
  const held = (['stop', 'target'] as const).filter((name) => description[name] !== undefined);
  return {
    lines: [
      ...lines,
      ...own,
      ...held.map((name) => ({
        ...{ name, label: name === 'stop' ? 'Stop' : 'Target' },
        ...{ from: 'open' as const, acts: true, dash: 'dashed' as const },
      })),
    ],
    levels: { stop: 'Stop', target: 'Target' },
  };
}

/** The values of the indicators, with their cells and panes. */
function drawnOf(
  declared: DeclaredIndicators,
): { readonly name: string; readonly at: number; readonly pane: string | null }[] {
  return layoutOf(declared).flatMap(({ name, fields }) =>
    fields.flatMap((field) => {
      const found = indicatorField(declared, `${name}.${field}`);
      return found === undefined ? [] : [{ ...found, name: field === 'value' ? name : `${name}.${field}` }];
    }),
  );
}

function needsOf(declared: DeclaredIndicators, interval: Interval): CandleNeed {
  const { min, want, also } = candlesFor(declared, interval);
  const longer = also.map((each) => ({ interval: each.interval, want: Math.min(MOST_CLOSED, each.want) }));
  return {
    interval,
    min: Math.min(MOST_CLOSED, min),
    want: Math.min(MOST_CLOSED, Math.max(min, want)),
    ...(longer.length === 0 ? {} : { also: longer }),
  };
}

/** A version as the strategy that engine, backtests, sweeps and forms use. */
export function ownStrategy(version: StrategyVersion): AnyStrategy {
  const { description, hash } = version;
  const { title, summary } = description;
  const name = referenceOf(description.name, hash);
  const usual = version.declare(valuesOf(description, readConfig(configSchema(description), {}).config.settings));
  const longer = Object.values(usual).flatMap(({ on }) => (on === undefined ? [] : [on]));
  const schema = configSchema(description, longer);
  const answers = answersOf(description);
  const actsOnTicks = description.target !== undefined;
  return {
    ...{ name, title, summary, config: schema, reasons: answers.reasons, actsOnTicks, plansBaskets: false },
    ...(version.file === undefined ? {} : { file: version.file }),
    bind(stored): BoundStrategy {
      const { config, readable, unreadablePath } = readConfig(schema, stored);
      const interval = config.candleInterval;
      const values = valuesOf(description, config.settings);
      const declared = version.declare(values);
      const layout = layoutOf(declared)
        .map(({ name: each, at, fields }) => `${each} ${at} ${fields.join(',')}`)
        .join('\n');
      const needs = needsOf(declared, interval);
      const input = {
        ...{ description, declared, values, answers, interval, need: needs.min },
        ...{ buys: config.entryEnabled, sells: config.exitEnabled, path: unreadablePath ?? null },
        exitsInBear: config.regime.policy === 'exit-in-bear',
        queueing: queueingOf(config.execution),
        shape: JSON.stringify([hash, values, declared, interval]),
        drawn: drawnOf(declared),
        open: (memory: string) => version.open(values, layout, memory),
        halted: () => version.halted?.() ?? null,
      };
      return {
        ...{ name, title: description.title, readable, unreadablePath: unreadablePath ?? null, needs, actsOnTicks },
        shared: sharedOf(description, config),
        drawings: drawingsOf(description, declared),
        reasons: answers.reasons,
        lint: () => [],
        create: (grid, state) => createOwnInstance(input, grid, state),
      };
    },
  };
}
