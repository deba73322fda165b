import type { z } from 'zod';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { verdictOf } from '#core/position/order-proof.ts';
import { certainFrom, ORDER_TIMING } from '#core/order/order-timing.ts';
import { readProof, type StoredProof } from '#storage/trading/order-proof.ts';
import { readOrderProof } from '#api/contract/proof.ts';
import { reachesAccount } from '#api/guard/token.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { orderView } from '#api/views/views.ts';

type Proof = z.output<(typeof readOrderProof)['response']>;

function verdictView({ order, fills, ledger }: StoredProof): Proof['verdict'] {
  const wanted = requireDecimal(order.quantity);
  const { filled, booked, ...verdict } = verdictOf({
    ...order,
    quantity: wanted,
    filledQuantity: requireDecimal(order.filledQuantity),
    filledQuote: requireDecimal(order.filledQuote),
    fills: fills.map((fill) => ({
      ...fill,
      quantity: requireDecimal(fill.quantity),
      quoteQuantity: requireDecimal(fill.quoteQuantity),
      feeAmount: requireDecimal(fill.feeAmount),
    })),
    ledger: ledger.map((row) => ({ ...row, amount: requireDecimal(row.amount) })),
  });
  const certain = verdict.state === 'unknown' ? certainFrom(order.sendBefore.getTime(), ORDER_TIMING) : null;
  return {
    ...{ state: verdict.state, sentence: verdict.sentence, problems: [...verdict.problems] },
    ...{ wanted: formatDecimal(wanted), filled: formatDecimal(filled), booked: formatDecimal(booked) },
    certainAt: certain === null ? null : new Date(certain),
  };
}

const proofView = (proof: StoredProof): Proof => ({
  verdict: verdictView(proof),
  order: {
    ...orderView(proof.order),
    ...{ accountId: proof.order.accountId, profileId: proof.order.profileId, actionId: proof.order.actionId },
    ...{ decision: proof.order.decision, payload: proof.order.payload, fencing: proof.order.fencing },
    recordedAt: proof.order.recordedAt,
    sendBefore: proof.order.sendBefore,
  },
  evidence: proof.evidence,
  fills: [...proof.fills],
  ledger: [...proof.ledger],
});

export function mountProof({ context, handle }: Routes): void {
  handle(readOrderProof, async ({ operator, params }) => {
    const proof = await readProof(context.database.kysely, operator.user.id, params.id);
    if (proof === undefined || !reachesAccount(operator, proof.order.accountId))
      throw new ApiProblem('not_found', `There is no order ${params.id}.`);
    return proofView(proof);
  });
}
