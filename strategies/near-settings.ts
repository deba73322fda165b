import { z } from 'zod';
import {
  add,
  type Decimal,
  formatDecimal,
  multiply,
  ONE,
  readDecimal,
  requireDecimal,
  subtract,
} from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import type { AnyStrategy } from './strategy.ts';

/** One setting with a value close to its own. */
interface NearSetting {
  /** Such as `sell.stopLossPercentage 0.97 to 0.967`. */
  readonly change: string;
  /** Dotted. */
  readonly path: string;
  readonly value: string | number;
}

type Schema = Readonly<Record<string, unknown>>;
const schemaOf = (value: unknown): Schema => (isObject(value) ? value : {});

const FACTORS = [requireDecimal('0.9'), requireDecimal('1.1')];
/** Values of a group's switch that make the rest of the group inactive. */
const OFF: readonly unknown[] = ['', '0', 0, false, 'off', 'market', undefined];

/**
 * Every active number of a parsed config, 10 % lower and higher. For a multiplier this changes its distance from 1, for a
 * whole number the value by at least 1. Inactive settings are left out.
 */
export const nearSettings = (strategy: Pick<AnyStrategy, 'config'>, config: unknown): NearSetting[] => [
  ...nearIn(schemaOf(z.toJSONSchema(strategy.config, { io: 'input', unrepresentable: 'any' })), config, []),
];

function* nearIn(schema: Schema, value: unknown, path: readonly string[]): Generator<NearSetting> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* nearIn(schemaOf(schema['items']), item, [...path, String(i)]);
  } else if (isObject(value)) {
    const properties = schemaOf(schema['properties']);
    for (const [key, item] of Object.entries(value))
      if (!isIdle(schema, value, key)) yield* nearIn(schemaOf(properties[key]), item, [...path, key]);
  } else {
    const isMultiplier = schemaOf(schema['form'])['kind'] === 'multiplier';
    for (const near of isMultiplier ? nearMultiplier(value) : nearNumber(value))
      yield { change: `${path.join('.')} ${String(value)} to ${near}`, path: path.join('.'), value: near };
  }
}

/** True when another setting of the group makes this one inactive. */
function isIdle(schema: Schema, group: Readonly<Record<string, unknown>>, key: string): boolean {
  const { switch: by, choice } = schemaOf(schemaOf(schema['form'])['group']);
  if (typeof by === 'string' && key !== by && OFF.includes(group[by])) return true;
  const { of, uses } = schemaOf(choice);
  const used = schemaOf(uses)[key];
  return Array.isArray(used) && !used.includes(group[String(of)]);
}

function nearMultiplier(value: unknown): string[] {
  const number = typeof value === 'string' ? readDecimal(value) : undefined;
  if (number === undefined || number <= 0n || number === ONE) return [];
  return FACTORS.map((factor) => formatDecimal(add(ONE, multiply(subtract(number, ONE), factor))));
}

function nearNumber(value: unknown): (string | number)[] {
  const number: Decimal | undefined =
    typeof value === 'number' ? readDecimal(String(value)) : typeof value === 'string' ? readDecimal(value) : undefined;
  if (number === undefined || number <= 0n) return [];
  if (typeof value !== 'number') return FACTORS.map((factor) => formatDecimal(multiply(number, factor)));
  const step = Math.max(1, Math.round(value / 10));
  return [value - step, value + step];
}
