import { requireDecimal } from '#core/amount/decimal.ts';
import { COIN_ACTIONS } from '#core/order/manual-order.ts';
import { type ActionOutcome, type OperatorAction, refused } from '#core/order/operator-action.ts';
import type { OperatorRequest } from '#engine/state/operator-request.ts';
import { type AccountLoop, runnerOf } from './account-loop.ts';

/**
 * Parses an action into a request to a coin; undefined for other actions and for payloads that this worker does not
 * know.
 */
export function readRequest({
  kind,
  payload,
  previewPrice,
}: Pick<OperatorAction, 'kind' | 'payload' | 'previewPrice'>): OperatorRequest | undefined {
  if (kind === 'force-sell') return { kind };
  if (kind === 'cancel-order') {
    const cancel = COIN_ACTIONS[kind].safeParse(payload).data;
    return cancel === undefined ? undefined : { kind: 'cancel', orderId: cancel.orderId };
  }
  const isOrder = kind === 'manual-order' || kind === 'preview-order';
  const order = isOrder ? COIN_ACTIONS[kind].safeParse(payload).data : undefined;
  if (order === undefined) return undefined;
  const { side, price, quantity, quoteAmount } = order;
  const [by, amount] =
    quantity === undefined ? (['quote', quoteAmount ?? '0'] as const) : (['quantity', quantity] as const);
  const limit = price === undefined ? null : requireDecimal(price);
  return {
    kind: kind === 'preview-order' ? 'preview' : 'order',
    side,
    limit,
    size: { by, amount: requireDecimal(amount) },
    previewed: previewPrice === null ? null : requireDecimal(previewPrice),
  };
}

/** Runs a request in its coin. Rejects when the run ends before the outcome: the action is then resumed. */
export async function actOnCoin(
  { running, toRun }: AccountLoop,
  { id, profileId, symbol, validMs, clientOrderId }: OperatorAction,
  request: OperatorRequest,
): Promise<ActionOutcome> {
  if (running === null && toRun.key !== null) throw new Error('The account is starting.');
  if (running === null) return refused('The account has no API key, so nothing can be traded.');
  const deadlineMs = performance.now() + validMs;
  const runner = profileId === null || symbol === null ? undefined : await runnerOf(running, { profileId, symbol });
  if (runner === undefined) {
    return refused('The coin does not run: it does not belong to the profile, or the exchange does not list it.');
  }
  return runner.act({ id, request, deadlineMs, clientOrderId });
}
