// Hostile strategy files, by what they do.

/** A strategy that buys low and sells high, with hostile parts. Line numbers count from the import. */
export const file = ({ top = '', when = 'rsi.value >= 45', stop = 'entryPrice * 0.95', more = '' }): string =>
  [
    "import { defineStrategy, rsi } from 'tradewind/strategy';",
    top,
    'export default defineStrategy({',
    "  name: 'hostile', title: 'Hostile', summary: 'Does what it should not.', interval: '1h',",
    `  indicators: () => ({ rsi: rsi(5) }), ${more}`,
    '  entry: [',
    `    { wait: 'not-low', when: ({ rsi, close, bars, time }) => { ${when.startsWith('{') ? when.slice(1) : `return ${when};`} }, say: 'Waiting.' },`,
    "    { buy: 'low', say: 'Buying.' },",
    '  ],',
    "  exit: [{ sell: 'high', when: ({ rsi }) => rsi.value > 55, say: 'Selling.' }, { stay: 'holds', say: 'Holding.' }],",
    `  stop: ({ entryPrice, close }) => ${stop},`,
    '});',
  ].join('\n');

/** Refused by the text, with the line that is named. */
export const REFUSED: Readonly<Record<string, readonly [text: string, line: number]>> = {
  'a second import': [file({ top: "import fs from 'node:fs';" }), 2],
  'an import expression': [file({ when: "{ import('node:fs'); return true;" }), 7],
  'an import expression with a comment in it': [file({ when: "{ import/**/('node:fs'); return true;" }), 7],
  'import.meta': [file({ top: 'const here = import.meta.url;' }), 2],
  'another module': ["import { readFileSync } from 'node:fs';\n", 1],
  'the whole module as an object': ["import * as all from 'tradewind/strategy';\n", 1],
  eval: [file({ when: "{ eval('1'); return true;" }), 7],
  'an async rule': [file({ top: 'const wait = async () => 1;' }), 2],
  await: [file({ top: 'const waited = await 1;' }), 2],
  'an enum': [file({ top: 'enum Side { Buy }' }), 2],
  'no strategy': ["import { defineStrategy } from 'tradewind/strategy';\n", 2],
  'two exports': [file({ top: 'export const other = 1;' }), 2],
};

/** Refused when its statements run: the line of the statement is named. */
export const FAILING: Readonly<Record<string, readonly [top: string, says: RegExp]>> = {
  'code from text': ["const f = ({}).constructor.constructor('return process')();", /^hostile\.ts:2: EvalError/],
  'the clock': ['const now = Date.now();', /^hostile\.ts:2: ReferenceError: Date is not defined/],
  chance: ['const dice = Math.random();', /^hostile\.ts:2: TypeError: Math\.random is not a function/],
  'the process': ['const env = process.env;', /^hostile\.ts:2: ReferenceError: process is not defined/],
  'the network': ["const page = fetch('https://example.org');", /^hostile\.ts:2: ReferenceError: fetch is not defined/],
  timers: ['setTimeout(() => {}, 1);', /^hostile\.ts:2: ReferenceError: setTimeout is not defined/],
  'a promise': ['const p = new Promise(() => {});', /^hostile\.ts:2: ReferenceError: Promise is not defined/],
  'shared memory': ['const s = new SharedArrayBuffer(8);', /^hostile\.ts:2: ReferenceError: SharedArrayBuffer/],
  'a changed built-in': ['Array.prototype.map = () => [];', /^hostile\.ts:2: TypeError: Cannot assign to read only/],
  'a changed prototype': ['Object.prototype.polluted = 1;', /^hostile\.ts:2: TypeError: Cannot add property polluted/],
  'stack frames': [
    'Error.prepareStackTrace = (_e, frames) => frames;',
    /^hostile\.ts:2: TypeError: Cannot add property/,
  ],
  'an endless statement': ['for (;;) {}', /no answer within 1000 ms/],
  'a loop that catches its end': ['for (;;) { try { for (;;) {} } catch {} }', /no answer within 1000 ms/],
  'an error with an endless stack': ['throw { get stack() { for (;;) {} } };', /no answer within 1000 ms/],
  'an error without a text': ['throw Object.create(null);', /^hostile\.ts: TypeError/],
  'a proxy': ['const p = new Proxy({}, {});', /^hostile\.ts:2: ReferenceError: Proxy is not defined/],
  'a module of Node': ["const fs = require('fs');", /^hostile\.ts:2: ReferenceError: require is not defined/],
  'code from text by a generator': ["(function* () {}).constructor('yield 1')();", /^hostile\.ts:2: EvalError/],
  'an endless recursion': ['const f = () => f() + 1; f();', /^hostile\.ts:2: RangeError: Maximum call stack/],
  'a text without end': ["let t = 'x'; for (;;) t += t;", /^hostile\.ts:2: RangeError: Invalid string length/],
  'a changed global': ['globalThis.seen = 1;', /^hostile\.ts:2: TypeError: Cannot add property seen/],
};

/** Declared with a wrong size or name. */
export const MISDECLARED: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  'an indicator of minus five candles': [
    file({}).replace('rsi(5)', 'rsi(-5)'),
    /^hostile\.ts: indicators: rsi\.params/,
  ],
  'an indicator of a billion candles': [
    file({}).replace('rsi(5)', 'rsi(1e9)'),
    /^hostile\.ts: indicators: rsi\.params/,
  ],
  'an indicator of half a candle': [file({}).replace('rsi(5)', 'rsi(5.5)'), /length must be a whole number, not 5\.5/],
  'a share of two positions': [file({}).replace("sell: 'high',", "sell: 'high', share: 2,"), /^hostile\.ts: exit/],
  'candles of seven minutes': [file({}).replace("'1h'", "'7m'"), /^hostile\.ts: interval/],
  'a code of the service': [
    file({}).replace("'low'", "'stop-reached'"),
    /the code "stop-reached" belongs to the service/,
  ],
  'a code that is used twice': [file({}).replace("'low'", "'not-low'"), /the code "not-low" is used twice/],
  'a name that is a fact': [file({ more: 'memory: { close: 1 },' }), /^hostile\.ts: memory\.close/],
  'a name in a sentence that is unknown': [
    file({}).replace("'Waiting.'", "'Waiting for {godot}.'"),
    /^hostile\.ts:7: the sentence of not-low names \{godot\}/,
  ],
  'a description without end': [file({ more: 'memory: { toJSON() { for (;;) {} } },' }), /no answer within 1000 ms/],
};

/** Loads, and is found by the check. */
export const FOUND: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  'an endless rule': [file({ when: '{ while (bars === bars) {} return true;' }), /hostile\.ts:7: rule not-low hung/],
  'a rule that catches the end of its loop': [
    file({ when: '{ for (;;) { try { while (bars === bars) {} } finally { continue; } } ' }),
    /hostile\.ts:7: rule not-low hung/,
  ],
  'an endless pattern': [
    file({ when: "/^(a+)+$/.test('a'.repeat(60) + 'b') || rsi.value >= 45" }),
    /hostile\.ts:7: rule not-low hung/,
  ],
  'an endless line of the chart': [
    file({ more: '\n  lines: { mark: ({ close }) => { while (close > 0) {} return close; } },' }),
    /hostile\.ts:6: lines hung/,
  ],
  'an endless error': [
    file({ when: '{ const e = new Error(); Object.defineProperty(e, "stack", { get() { for (;;) {} } }); throw e;' }),
    /hostile\.ts:7: rule not-low hung/,
  ],
  'a text that doubles': [
    file({ when: "{ let t = 'x'; while (bars === bars) t += t; return true;" }),
    /hostile\.ts:7: RangeError: Invalid string length/,
  ],
  'a setting that is changed': [
    file({ when: '{ set.more = 1; return true;' }).replace('bars, time }', 'bars, time, set }'),
    /hostile\.ts:7: TypeError: Cannot add property more/,
  ],
  'a new field of the memory': [
    file({ more: 'memory: { kept: 0 }, each: ({ memory }) => { memory.other = 1; },' }),
    /hostile\.ts:5: TypeError: Cannot add property other/,
  ],
  'a target that is no number': [file({ more: 'target: () => Number.NaN,' }), /target/i],
  'a rule that throws': [file({ when: '{ null.x; return true;' }), /hostile\.ts:7: TypeError/],
  'a stop that is no number': [file({ stop: 'Number.NaN' }), /The stop is not a number/],
  'a stop above the price': [file({ stop: 'close * 1.01' }), /is not below the close/],
  'a counter in the module': [
    file({ top: 'let asked = 0;', when: '{ asked += 1; return asked % 40 !== 0;' }),
    /(repeats|continues from its state|no look-ahead)/,
  ],
  'a memory of an earlier run': [
    file({
      top: 'const seen = new Map();',
      when: '{ const known = seen.get(time); seen.set(time, close); return known === undefined ? rsi.value >= 45 : known > 0;',
    }),
    /(repeats|continues from its state|no look-ahead)/,
  ],
  'a flag hidden in the module': [
    file({ top: 'let done = false;', when: '{ if (rsi.value < 30) done = true; return done || rsi.value >= 45;' }),
    /continues from its state|no look-ahead|repeats/,
  ],
  'a fixed price': [file({ when: 'close > 90' }), /the same at another price/],
  'a huge state': [
    file({
      more: 'memory: { big: 0 }, each: ({ memory }) => { memory.big = 1; }, ',
      top: 'const hog = [];',
      when: '{ for (let i = 0; i < 1000; i += 1) hog.push(new Array(1000).fill(close + i)); return rsi.value >= 45;',
    }),
    /memory|heap|ended|hung/i,
  ],
};
