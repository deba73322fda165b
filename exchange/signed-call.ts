import type { OrderTiming } from '#core/order/order-timing.ts';
import type { OnWire } from '#core/order/order-evidence.ts';
import type { ExchangeClock } from '#core/ports/exchange.ts';
import { ExchangeError } from './errors.ts';
import type { RequestPriority, OrderBudget } from './limits.ts';
import type { Params, Signer } from './signing.ts';
import { notAdmitted, type Transport } from './transport.ts';

export interface SignedLink {
  readonly transport: Transport;
  readonly signer: Signer;
  readonly clock: ExchangeClock;
  readonly timing: OrderTiming;
  /** The orders of this key's account. */
  readonly orders: OrderBudget;
}

interface SignedCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly params: Params;
  readonly priority: RequestPriority;
  readonly weight: number;
  readonly order?: boolean;
  readonly waitMs?: number;
  readonly onWire?: OnWire;
}

type Refusal = 'not-sent-in-time' | 'halted' | 'rate-limited';
/** Called with the timestamp that is about to be signed; a refusal means that nothing is signed. */
export type Gate = (timestampMs: number) => Refusal | undefined;
export type Sent =
  | { readonly kind: 'answered'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly reason: Refusal };

const WAIT_MS = 20_000;

/**
 * Sends one signed request: rate limiter, timestamp, gate, signature. Error -1021 (timestamp outside the window) proves
 * that nothing was done: the client syncs the clock and sends once more, through limiter and gate again.
 * Throws ExchangeError when the exchange refuses or the outcome stays open.
 */
export async function sendSigned(link: SignedLink, call: SignedCall, gate?: Gate): Promise<Sent> {
  try {
    return await sendOnce(link, call, gate);
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.reason !== 'bad-clock') throw error;
    const synced = await link.clock.sync().then(
      () => true,
      () => false,
    );
    if (!synced) throw error;
    return sendOnce(link, call, gate);
  }
}

async function sendOnce(link: SignedLink, call: SignedCall, gate?: Gate): Promise<Sent> {
  const { priority, weight } = call;
  const { limiter } = link.transport;
  const orders = call.order === true ? link.orders : undefined;
  const reservation = await limiter.acquire({ priority, weight, orders, waitMs: call.waitMs ?? WAIT_MS });
  if (reservation === undefined) return { kind: 'refused', reason: 'rate-limited' };
  const timestamp = link.clock.protocolMs();
  const refusal = gate?.(timestamp);
  if (refusal !== undefined) {
    reservation.release();
    return { kind: 'refused', reason: refusal };
  }
  const { receiveWindowMs, patienceMs } = link.timing;
  const signed = link.signer.signQuery({ ...call.params, recvWindow: receiveWindowMs, timestamp });
  const { method, path } = call;
  const sending = link.transport.send({ method, path, reservation, timeoutMs: patienceMs, ...signed });
  if (call.onWire !== undefined) reportWire(call.onWire, { method, path, query: signed.query }, sending);
  return { kind: 'answered', body: await sending };
}

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/** Reports the sent request without its signature, then the reply without credentials. */
function reportWire(onWire: OnWire, { query, ...request }: SentRequest, sending: Promise<unknown>): void {
  const at = new Date();
  const report = (answer: object): void =>
    onWire({ kind: 'answer', at: new Date(), detail: { ...answer, afterMs: Date.now() - at.getTime() } });
  onWire({
    kind: 'request',
    at,
    detail: { ...request, query: query.replace(/signature=[^&]*/, 'signature=[redacted]') },
  });
  sending.then(
    (body) => report({ body }),
    (error: unknown) => {
      const known = error instanceof ExchangeError ? error : null;
      const message = error instanceof Error ? error.message : 'The request failed.';
      report({ message, status: known?.status ?? null, code: known?.code ?? null, payload: known?.payload ?? null });
    },
  );
}

/** A signed read. Throws ExchangeError. */
export async function readSigned(link: SignedLink, call: Omit<SignedCall, 'method'>): Promise<unknown> {
  const sent = await sendSigned(link, { ...call, method: 'GET' });
  if (sent.kind === 'refused') throw notAdmitted(call.path);
  return sent.body;
}
