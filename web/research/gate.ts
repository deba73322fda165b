import type { GateBar } from '#core/research/live-gate.ts';
import { GATE_FORM } from '#api/contract/forms.ts';
import { schemaGroups } from '#web/config/schema-fields.ts';
import { count, percent, signedPercent, twoDecimals, whole } from '#web/ui/numbers.ts';

const FIELDS = new Map(
  schemaGroups(GATE_FORM, {}).flatMap(({ fields }) => fields.map((field) => [field.path, field] as const)),
);
export const barLabel = (bar: GateBar): string => FIELDS.get(bar)?.label ?? bar;

/** A value of a threshold: `1.61`, `8.4 %`, `12 days`. */
export function barValue(bar: GateBar, value: number | null): string {
  if (value === null) return 'unknown';
  if (bar === 'alpha' || bar === 'returnOnCapital') return signedPercent(value, 2);
  if (bar === 'outOfSample') return signedPercent(value, 1);
  if (FIELDS.get(bar)?.percent !== undefined) return percent(value, 1);
  if (bar === 'ageDays') return count(Math.floor(value), 'day');
  return bar === 'closedCycles' ? whole(value) : twoDecimals(value);
}
