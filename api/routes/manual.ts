import type { ProfileId } from '#core/ids.ts';
import { readOrder } from '#storage/trading/order-proof.ts';
import { listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import { lockProfile } from '#storage/operator/profiles.ts';
import { requestWorkerAction } from '#api/request-worker-action.ts';
import { notBound } from '#api/views/coins.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { cancelOrder, forceSell, placeOrder } from '#api/contract/manual.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireFoundProfile } from '#api/require.ts';

type Author = Pick<Incoming<typeof forceSell>, 'operator' | 'caller'>;

interface ManualInput {
  readonly id: ProfileId;
  readonly symbol: string;
  readonly kind: 'manual-order' | 'cancel-order' | 'force-sell';
  readonly payload: unknown;
  readonly requestId?: string | undefined;
}

/** The api only checks that the coin belongs to the operator; the worker checks the action itself. */
function requestManualAction(
  { database }: ApiContext,
  who: Author,
  { id, symbol, kind, payload, requestId }: ManualInput,
): Promise<{ actionId: string }> {
  return database.transaction(async (transaction) => {
    const { accountId } = requireFoundProfile(await lockProfile(transaction, who.operator.user.id, id), id);
    const bound = await listBoundSymbols(transaction, id);
    if (!bound.some((coin) => coin.symbol === symbol)) throw notBound(id, symbol);
    const request = { accountId, profileId: id, symbol, kind, payload };
    return {
      actionId: await requestWorkerAction(transaction, who, {
        ...request,
        ...(requestId !== undefined && { id: requestId }),
      }),
    };
  });
}

export function mountManual({ context, handle }: Routes): void {
  handle(placeOrder, ({ operator, caller, params, body: { order: payload, requestId } }) =>
    requestManualAction(context, { operator, caller }, { ...params, kind: 'manual-order', payload, requestId }),
  );

  handle(cancelOrder, async ({ operator, caller, params: { orderId, ...coin } }) => {
    const order = await readOrder(context.database.kysely, operator.user.id, orderId);
    if (order?.profileId !== coin.id || order.symbol !== coin.symbol) {
      throw new ApiProblem('not_found', `There is no order ${orderId} of ${coin.symbol}.`);
    }
    return requestManualAction(context, { operator, caller }, { ...coin, kind: 'cancel-order', payload: { orderId } });
  });

  handle(forceSell, ({ operator, caller, params, body: { requestId } }) =>
    requestManualAction(context, { operator, caller }, { ...params, kind: 'force-sell', payload: {}, requestId }),
  );
}
