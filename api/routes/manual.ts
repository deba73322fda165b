import { readOrder } from '#storage/trading/order-proof.ts';
import { requestWorkerAction } from '#api/request-worker-action.ts';
import { cancelOrder, forceSell, placeOrder } from '#api/contract/manual.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';

interface ManualInput {
  readonly kind: 'manual-order' | 'cancel-order' | 'force-sell';
  readonly payload: unknown;
  readonly requestId?: string | undefined;
}

/** The api only checks that the coin belongs to the operator; the worker checks the action itself. */
const requestManualAction = (
  { operator, commit, params: { symbol } }: Pick<Incoming<typeof forceSell>, 'operator' | 'commit' | 'params'>,
  { requestId, ...action }: ManualInput,
): Promise<{ actionId: string }> =>
  commit(({ transaction, profile: { id: profileId, accountId } }) => {
    const id = requestId === undefined ? {} : { id: requestId };
    return requestWorkerAction(transaction, operator, { accountId, profileId, symbol, ...action, ...id });
  });

export function mountManual({ context, handle }: Routes): void {
  handle(placeOrder, (incoming) => {
    const { order: payload, requestId } = incoming.body;
    return requestManualAction(incoming, { kind: 'manual-order', payload, requestId });
  });

  handle(cancelOrder, async (incoming) => {
    const { id, symbol, orderId } = incoming.params;
    const order = await readOrder(context.database.kysely, incoming.operator.user.id, orderId);
    if (order?.profileId !== id || order.symbol !== symbol) {
      throw new ApiProblem('not_found', `There is no order ${orderId} of ${symbol}.`);
    }
    return requestManualAction(incoming, { kind: 'cancel-order', payload: { orderId } });
  });

  handle(forceSell, (incoming) =>
    requestManualAction(incoming, { kind: 'force-sell', payload: {}, requestId: incoming.body.requestId }),
  );
}
