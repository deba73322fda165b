import { useEffect, useState } from 'react';
import { type AccountId, readId } from '#core/ids.ts';
import { withValue } from '#core/config-path.ts';
import { isObject } from '#core/merge.ts';
import { PRESETS } from '#strategies/presets.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { listStrategies } from '#api/contract/profiles.ts';

const KEY = 'tradewind:new-profile';
const STEPS = 4;

/** Choices of a new profile so far. */
interface Draft {
  readonly step: number;
  readonly accountId?: AccountId | undefined;
  readonly strategy: string;
  /** Configs that were edited or filled from a preset, by strategy. */
  readonly configs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Absent until the operator has chosen. */
  readonly coins?: readonly string[] | undefined;
  readonly name?: string | undefined;
}
export type StrategyView = Answer<typeof listStrategies>['strategies'][number];
export type PresetName = 'Cautious' | 'Balanced' | 'Active';

const FIRST: Draft = { step: 0, strategy: 'trailing-trade', configs: {} };

/** Reads the stored choices; those that are not usable are left out. */
function readDraft(): Draft {
  const stored = readStored();
  if (!isObject(stored)) return FIRST;
  const { step, accountId, strategy, configs, coins, name } = stored;
  return {
    step: typeof step === 'number' && step >= 0 && step < STEPS ? Math.floor(step) : 0,
    strategy: typeof strategy === 'string' ? strategy : FIRST.strategy,
    accountId: typeof accountId === 'string' ? readId<AccountId>(accountId) : undefined,
    configs: Object.fromEntries(
      Object.entries(isObject(configs) ? configs : {}).flatMap(([key, config]) =>
        isObject(config) ? [[key, config] as const] : [],
      ),
    ),
    coins: Array.isArray(coins) ? coins.filter((coin) => typeof coin === 'string') : undefined,
    name: typeof name === 'string' ? name : undefined,
  };
}

function readStored(): unknown {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '');
  } catch {
    return undefined;
  }
}

export interface DraftState {
  readonly draft: Draft;
  change(part: Partial<Draft>): void;
  /** Forgets the choices, once the profile exists. */
  clear(): void;
}

/** The choices, kept in the browser: they survive a reload. */
export function useDraft(): DraftState {
  const [draft, setDraft] = useState(readDraft);
  useEffect(() => {
    try {
      localStorage.setItem(KEY, JSON.stringify(draft));
    } catch {
      // Without storage the choices last as long as the page.
    }
  }, [draft]);
  return {
    draft,
    change: (part) => setDraft((now) => ({ ...now, ...part })),
    clear: forgetDraft,
  };
}

function forgetDraft(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}

export const presetConfig = (strategy: string, name: PresetName): Readonly<Record<string, unknown>> =>
  PRESETS.get(strategy)?.find((preset) => preset.name === name)?.config ?? {};

/** The preset that a config is equal to. */
export const presetOf = (strategy: string, config: unknown): string | undefined =>
  PRESETS.get(strategy)?.find((preset) => JSON.stringify(preset.config) === JSON.stringify(config))?.name;

/** The config of the chosen strategy; a preset until it is edited. */
export const configOf = ({ strategy, configs }: Draft, preset: PresetName): Readonly<Record<string, unknown>> =>
  configs[strategy] ?? presetConfig(strategy, preset);

/** A config with one setting changed. A take profit sells everything; an empty one is none. */
export function withSetting(config: Readonly<Record<string, unknown>>, path: string, value: unknown) {
  const TAKE_PROFIT = 'sell.takeProfits';
  const isRung = path.startsWith(`${TAKE_PROFIT}.`);
  const rungs = value === '' ? [] : [{ triggerPercentage: value, fraction: '1' }];
  const changed = isRung ? withValue(config, TAKE_PROFIT, rungs) : withValue(config, path, value);
  return isObject(changed) ? changed : {};
}
