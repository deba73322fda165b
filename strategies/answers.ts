import type { Decision, ReasonText } from '#core/decision/decision.ts';

/**
 * One shared decision for each reason code, so that a tick without an event allocates nothing. A code of an exit sells
 * everything, any other code does nothing; `own` holds the exceptions.
 */
export function answersOf<Code extends string>(
  reasons: Readonly<Record<Code, ReasonText>>,
  own: Readonly<Partial<Record<Code, Decision>>>,
): Readonly<Record<Code, Decision>> {
  const answers: Partial<Record<Code, Decision>> = { ...own };
  for (const reason in reasons) answers[reason] ??= Object.freeze(usualAnswer(reason));
  if (!hasEvery(answers, reasons)) throw new TypeError('a reason has no answer');
  return answers;
}

const usualAnswer = (reason: string): Decision =>
  reason.startsWith('exit-') ? { kind: 'sell', reason, lots: 'all' } : { kind: 'nothing', reason };

const hasEvery = <Code extends string>(
  answers: Partial<Record<Code, Decision>>,
  reasons: Readonly<Record<Code, ReasonText>>,
): answers is Record<Code, Decision> => Object.keys(reasons).every((code) => Object.hasOwn(answers, code));
