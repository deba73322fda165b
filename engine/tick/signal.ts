import type { Approval } from '#core/decision/audit.ts';
import type { Decision, Numbers } from '#core/decision/decision.ts';
import type { PendingSignal } from '#core/order/signal.ts';
import type { Coin } from '#engine/state/coin.ts';

/*
 * A recorded signal stays with its coin until it is answered or too old: every tick decides about it again, so that a refusal
 * of the engine may pass. The commit of the intent, not this file, makes its order the only one (take_signal in
 * storage/migrations/0057-signals.sql).
 */

/** Gives a pending signal to its coin. False when the coin has it already, or has answered it. */
export function takeSignal(coin: Coin, signal: PendingSignal): boolean {
  if (signal.id === coin.signal?.id || signal.id === coin.answeredSignal) return false;
  coin.signal = { ...signal, readMs: performance.now() };
  coin.refusedSignal = null;
  return true;
}

/** The signal that a decision carries out. */
export const signalBehind = (coin: Coin, { answersSignal }: Pick<Decision, 'answersSignal'>): { signalId?: string } =>
  answersSignal === true && coin.signal !== null ? { signalId: coin.signal.id } : {};

/** The signal has its order, or can never have one. */
export function closeSignal(coin: Coin): void {
  coin.answeredSignal = coin.signal?.id ?? coin.answeredSignal;
  coin.signal = null;
}

interface Answer {
  readonly decision: Pick<Decision, 'kind' | 'reason' | 'answersSignal'>;
  readonly numbers: Numbers;
  readonly approval: Approval;
}

/** Records why a tick that sent nothing has not carried out the signal; "nothing" ends it. */
export function answerSignal(coin: Coin, { decision, numbers, approval }: Answer): void {
  const { signal } = coin;
  if (signal === null || decision.answersSignal !== true) return;
  const ends = decision.kind === 'nothing';
  const refusal = approval.kind === 'refused' ? approval : undefined;
  const reason = refusal?.reason ?? decision.reason;
  if (!ends && (refusal === undefined || coin.refusedSignal === reason)) return;
  coin.refusedSignal = reason;
  if (ends) closeSignal(coin);
  const { store, log } = coin.context.ports;
  store
    .answerSignal({ id: signal.id, reason, numbers: refusal?.numbers ?? numbers, ends })
    .catch((err: unknown) =>
      log.warn({ event: 'signal_answer_lost', signal: signal.id, err }, 'The answer to a signal could not be stored'),
    );
}
