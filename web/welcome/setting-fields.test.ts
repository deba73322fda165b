import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '#core/config-path.ts';
import { PRESETS } from '#strategies/presets.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { SETTING_FIELDS, type SettingField, shownOf, storedOf } from './setting-fields.ts';

const field = (kind: SettingField['kind'], optional = false): SettingField => ({
  ...{ path: 'a', label: 'A', note: '', kind, optional },
});

test('a stored multiplier is shown as a percentage of its distance from 1, and read back as it was', () => {
  for (const [kind, stored, shown] of [
    ['above', '1.0045', '0.45'],
    ['below', '0.9985', '0.15'],
    ['share', '0.05', '5'],
    ['amount', '150', '150'],
    ['count', 20, '20'],
  ] as const) {
    assert.equal(shownOf(field(kind), stored), shown);
    assert.equal(storedOf(field(kind), shown), stored);
  }
  assert.equal(storedOf(field('above'), '0,6'), '1.006');
});

test('what is no usable value has none, an empty optional setting is empty', () => {
  for (const kind of ['above', 'below', 'amount', 'count', 'share'] as const)
    for (const text of ['', 'x', '0', '-1']) assert.equal(storedOf(field(kind), text), undefined, `${kind} ${text}`);
  assert.equal(storedOf(field('below'), '100'), undefined);
  assert.equal(storedOf(field('count'), '1.5'), undefined);
  assert.equal(storedOf(field('above', true), ''), '');
});

test('every preset has a value for every setting of the wizard that it needs', () => {
  for (const [name, fields] of Object.entries(SETTING_FIELDS))
    for (const { config } of PRESETS.get(name) ?? []) {
      const whole = STRATEGIES.get(name)?.config.parse(config);
      for (const { path, optional, label } of fields)
        assert.ok(optional === true || valueAt(whole, path) !== undefined, `${name}: ${label}`);
    }
});
