import type { z } from 'zod';
import { INTERVAL_MS, INTERVALS, type Interval } from '#core/market/candle.ts';
import { ONE, ZERO } from '#core/amount/decimal.ts';
import { capSettings, entryShares, entrySizingOf, lossCooldownMinutes } from '#strategies/entry-fields.ts';
import { choice, count, decimalNumber, flag, group, readFactor, readSetting } from '#strategies/fields.ts';
import { execution } from '#strategies/execution.ts';
import { gateShares, regime, technicals } from '#strategies/gate-fields.ts';
import { protectiveStop, stopShares } from '#strategies/stop-fields.ts';
import { readStored } from '#strategies/stored.ts';
import type { SharedSettings } from '#strategies/strategy.ts';
import type { Description, SettingDescription } from './description.ts';

const MINUTE_MS = 60_000;

/** Settings as the file reads them: percentages as shares. */
export type Values = Readonly<Record<string, number | boolean | string>>;

const helpOf = ({ title, help, from, to, unit }: SettingDescription): string =>
  help ?? (from === undefined || to === undefined ? title : `${from} to ${to}${unit === undefined ? '' : ` ${unit}`}`);

function fieldOf(setting: SettingDescription): z.ZodType {
  const { kind, title, value, from = 0, to = 0, unit, options = [] } = setting;
  const words = { title, help: helpOf(setting) };
  if (kind === 'flag') return flag(words, value === true);
  if (kind === 'count') return count({ ...words, from, to, unit: unit ?? '' }, Number(value));
  const [option, ...others] = options;
  if (kind === 'choice' && option !== undefined) return choice(words, [option, ...others], String(value));
  const bounds = { atLeast: String(from), atMost: String(to) };
  return decimalNumber({ ...words, bounds, unit: unit ?? (kind === 'percent' ? '%' : '') }, String(value));
}

/** The schema of a file's settings, together with the settings that every strategy has. */
export function configSchema(description: Description, longer: readonly Interval[] = []) {
  const {
    title,
    summary,
    interval,
    settings,
    stop,
    defaults: { amount },
  } = description;
  const own = Object.fromEntries(Object.entries(settings).map(([name, each]) => [name, fieldOf(each)]));
  return group(
    { title, help: summary },
    {
      candleInterval: choice({ title: 'Candles', help: 'Interval of the candles that decide' }, INTERVALS, interval),
      entryEnabled: flag({ title: 'Buy', help: 'Opens positions' }, true),
      entrySizing: entrySizingOf(amount === undefined ? '15' : String(amount)),
      ...capSettings,
      lossCooldownMinutes,
      settings: group({ title: 'Settings of the strategy', help: summary }, own).prefault({}),
      exitEnabled: flag({ title: 'Sell', help: 'Sells positions; off means that nothing protects them' }, true),
      protectiveStop,
      regime,
      technicals,
      execution,
    },
    ({ candleInterval, entrySizing: { mode }, exitEnabled }, refuse) => {
      const other = longer.find((each) => INTERVAL_MS[each] % INTERVAL_MS[candleInterval] !== 0);
      if (other !== undefined)
        refuse(['candleInterval'], `is ${candleInterval}, but the strategy also reads ${other} candles`);
      if (mode === 'risk-at-stop' && (stop === undefined || !exitEnabled))
        refuse(['entrySizing', 'mode'], 'is risk-at-stop, but this strategy has no stop');
    },
  );
}

type ConfigSchema = ReturnType<typeof configSchema>;
type Config = z.output<ConfigSchema>;

/** Reads a merged config without parsing it: see `readStored`. */
export const readConfig = (schema: ConfigSchema, stored: unknown) => readStored(schema, stored);

/** The settings as the file reads them. */
export function valuesOf({ settings }: Description, stored: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { kind, value }]) => {
      const found = stored[name];
      const fits = typeof found === 'number' || typeof found === 'boolean' || typeof found === 'string';
      const given = fits ? found : value;
      if (kind === 'number') return [name, readFactor(String(given))];
      if (kind === 'percent') return [name, readFactor(String(given)) / 100];
      return [name, given];
    }),
  );
}

export function sharedOf({ stop }: Description, config: Config): SharedSettings {
  const guarded = stop !== undefined && config.exitEnabled;
  return {
    ...entryShares(config),
    entryBudget: config.entrySizing.mode === 'fixed' ? (readSetting(config.entrySizing.amount) ?? ZERO) : ZERO,
    lossCooldownMs: config.lossCooldownMinutes * MINUTE_MS,
    stopMultiple: null,
    ...(stop === undefined ? { stopLimitOffset: ONE } : stopShares(config.protectiveStop, guarded)),
    ...gateShares(config),
  };
}
