import { z } from 'zod';
import { valueAt } from '#core/config-path.ts';
import { isObject, mergePatch } from '#core/merge.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { DiagnosisCheck } from '#api/contract/diagnosis.ts';

export type Setting = NonNullable<DiagnosisCheck['setting']>;

const AMOUNT = ['buy.entrySizing.amount', 'entrySizing.amount', 'minTradeQuote'];
const EXPOSURE = ['buy.maxSymbolExposureQuote', 'maxSymbolExposureQuote'];

/** The setting that causes a reason: the first of these paths that the strategy has. */
export const REASON_PATHS: Readonly<Record<string, readonly string[]>> = {
  'entry-disabled': ['buy.enabled', 'entryEnabled'],
  'hold-sell-disabled': ['sell.enabled', 'exitEnabled'],
  'hold-no-exit': ['sell.stopLossPercentage'],
  'entry-above-window-low': ['buy.gridLevels.0.triggerPercentage', 'buy.candleLimit'],
  'entry-above-level': ['buy.gridLevels'],
  'entry-grid-complete': ['buy.gridLevels'],
  'entry-rsi-high': ['buy.indicatorGate.rsiMaxBuy'],
  'entry-history-short': ['buy.candleLimit', 'ema.slow'],
  'entry-no-cross': ['ema.fast'],
  'entry-below-trend': ['trendFilter.period'],
  'entry-trend-not-rising': ['trendFilter.slopeBars'],
  'entry-overextended': ['entryExtension.maxPercentage'],
  'plan-not-due': ['candleInterval'],
  'plan-within-drift': ['driftThreshold'],
  'plan-dry': ['enabled'],
  'plan-empty-basket': ['basketBudgetQuote'],
  'size-no-funds': AMOUNT,
  'size-below-minimum': AMOUNT,
  'size-exit-infeasible': AMOUNT,
  'cap-symbol-exposure': EXPOSURE,
  'cap-position-loss': ['buy.maxPositionLossQuote', 'maxPositionLossQuote'],
  'cooldown-loss': ['buy.lossCooldownMinutes', 'lossCooldownMinutes'],
  'regime-bear': ['regime.policy'],
  'regime-not-bull': ['regime.policy'],
  'regime-unavailable': ['regime.policy'],
  'rating-too-low': ['technicals'],
  'rating-stale': ['technicals'],
  'rating-missing': ['technicals'],
};

/** Title of a setting in the form. */
function titleOf(schema: unknown, [key, ...rest]: readonly string[]): string {
  if (!isObject(schema)) return '';
  if (key === undefined) return typeof schema['title'] === 'string' ? schema['title'] : '';
  const { properties, items } = schema;
  return titleOf(isObject(properties) ? properties[key] : items, rest);
}

const SCHEMAS = new WeakMap<AnyStrategy, unknown>();

/** The form of a strategy, computed once. */
function schemaOf(strategy: AnyStrategy): unknown {
  const known = SCHEMAS.get(strategy);
  if (known !== undefined) return known;
  const schema = z.toJSONSchema(strategy.config, { io: 'input', unrepresentable: 'any' });
  SCHEMAS.set(strategy, schema);
  return schema;
}

/** The config with defaults for missing settings. */
const withDefaults = (strategy: AnyStrategy, config: unknown) => mergePatch(strategy.config.parse({}), config);

/** A setting of a strategy with its value in `config` and its page. */
export function settingAt(
  strategy: AnyStrategy,
  config: unknown,
  { path, page }: { path: string; page: string },
): Setting {
  const title = titleOf(schemaOf(strategy), path.split('.'));
  const value = valueAt(withDefaults(strategy, config), path);
  const text = typeof value === 'string' ? value : value === undefined ? null : JSON.stringify(value);
  return { words: title === '' ? path : title, place: page, path, value: text };
}

/** The setting that causes a reason; null when no setting does. */
export function settingFor(
  strategy: AnyStrategy,
  config: unknown,
  { reason, page }: { reason: string; page: string },
): Setting | null {
  const filled = withDefaults(strategy, config);
  const path = REASON_PATHS[reason]?.find((candidate) => valueAt(filled, candidate) !== undefined);
  return path === undefined ? null : settingAt(strategy, config, { path, page });
}
