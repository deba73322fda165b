import type { Decision, ReasonText } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import { codeOf, type Description, type ExitRule, HOST_CODES } from './description.ts';
import { CELL } from './moment.ts';
import { FIELD_IN_SENTENCE, keyOf } from './sentence.ts';

type HostCode = keyof typeof HOST_CODES;

/** Decisions of a file by the index of the rule that answered. One shared decision for each rule: nothing is allocated. */
export interface Answers {
  readonly host: Readonly<Record<HostCode, Decision>>;
  readonly reasons: Readonly<Record<string, ReasonText>>;
  /** True when this entry rule buys. */
  buys(entry: number): boolean;
  entry(entry: number, level: number): Decision;
  /** Undefined when no exit rule answered. */
  exit(exit: number, view: TickView): Decision | undefined;
}

const nothing = (reason: string): Decision => Object.freeze({ kind: 'nothing', reason });
const sellAll = (reason: string): Decision => Object.freeze({ kind: 'sell', reason, lots: 'all' });
const cancel = (reason: string): Decision => Object.freeze({ kind: 'cancel', reason });

const HOST: Readonly<Record<HostCode, Decision>> = {
  'stop-reached': sellAll('stop-reached'),
  'target-reached': sellAll('target-reached'),
  'exit-regime': sellAll('exit-regime'),
  'hold-sell-disabled': nothing('hold-sell-disabled'),
  'hold-exit-order-open': nothing('hold-exit-order-open'),
  'hold-until-candle': nothing('hold-until-candle'),
  'entry-disabled': nothing('entry-disabled'),
  'entry-config-unreadable': nothing('entry-config-unreadable'),
  'entry-history-short': nothing('entry-history-short'),
  'entry-no-answer': nothing('entry-no-answer'),
  'entry-already-this-candle': nothing('entry-already-this-candle'),
  'entry-candle-late': nothing('entry-candle-late'),
  'strategy-failed': nothing('strategy-failed'),
  'strategy-quarantined': nothing('strategy-quarantined'),
  'strategy-file-gone': nothing('strategy-file-gone'),
  'order-entry-open': nothing('order-entry-open'),
  'order-entry-timeout': cancel('order-entry-timeout'),
  'order-entry-condition-gone': cancel('order-entry-condition-gone'),
};

/** A changed setting, stop or target begins a new row of the log. */
const thresholdsOf = ({ settings }: Description, sentence: string): string[] =>
  Array.from(sentence.matchAll(FIELD_IN_SENTENCE), ([, name = '']) => name)
    .filter((name) => Object.hasOwn(settings, name) || name === 'stop' || name === 'target')
    .map(keyOf);

/** Partial sales of a position that is too small to part sell everything. */
function sold(rule: Extract<ExitRule, { sell: string }>, view: TickView): Decision {
  const { sell: reason, share = 1 } = rule;
  const lots = Math.floor(view.lots * share);
  return share < 1 && lots > 0 ? { kind: 'sell', reason, lots } : sellAll(reason);
}

/** The problem of the stop and the target that a file answered; empty when there is none. */
export function levelProblem({ stop, target }: Description, cells: Float64Array): string {
  const [stopAnswer, targetAnswer] = [cells[CELL.stopAnswer] ?? Number.NaN, cells[CELL.targetAnswer] ?? Number.NaN];
  if (stop !== undefined && !Number.isFinite(stopAnswer)) return `The stop is not a number (${stopAnswer}).`;
  if (target !== undefined && !Number.isFinite(targetAnswer)) return `The target is not a number (${targetAnswer}).`;
  const close = cells[CELL.close] ?? 0;
  if (cells[CELL.held] !== 1 && stop !== undefined && stopAnswer >= close)
    return `The stop ${stopAnswer} is not below the close ${close}.`;
  return '';
}

export function answersOf(description: Description): Answers {
  const entries = description.entry.map((rule): Decision => {
    const reason = codeOf(rule);
    return Object.freeze('buy' in rule ? { kind: 'buy', reason, level: 0 } : { kind: 'nothing', reason });
  });
  const exits = description.exit.map((rule) => ({
    rule,
    decision: 'sell' in rule ? sellAll(rule.sell) : nothing(rule.stay),
  }));
  const own = [...description.entry, ...description.exit].map((rule): [string, ReasonText] => [
    codeOf(rule),
    {
      sentence: rule.say.replaceAll(FIELD_IN_SENTENCE, (_place, name: string) => `{${keyOf(name)}}`),
      thresholds: thresholdsOf(description, rule.say),
    },
  ]);
  return {
    host: HOST,
    reasons: { ...HOST_CODES, ...Object.fromEntries(own) },
    buys: (entry) => entries[entry]?.kind === 'buy',
    entry(entry, level) {
      const decision = entries[entry] ?? HOST['entry-no-answer'];
      return decision.kind === 'buy' && level > 0 ? { ...decision, level } : decision;
    },
    exit(exit, view) {
      const found = exits[exit];
      if (found === undefined) return undefined;
      const { rule, decision } = found;
      return 'sell' in rule && rule.share !== undefined && rule.share < 1 ? sold(rule, view) : decision;
    },
  };
}
