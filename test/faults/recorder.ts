import { formatDecimal } from '#core/amount/decimal.ts';
import { originalIdOf } from '#core/order/order.ts';
import type { Report } from '#paper/exchange/matching-engine.ts';
import type { Venue } from '#paper/exchange/venue.ts';

/** A protocol step outside the database. `atMs` is wall time: the clock that the database server reads too. */
export type SeenStep = { readonly atMs: number } & (
  | {
      readonly kind: 'sent';
      readonly clientOrderId: string;
      /** The order that the request cancels. */
      readonly cancels: string | null;
      readonly placesNone: boolean;
      readonly signedMs: number;
    }
  | { readonly kind: 'bounced' | 'looked-up'; readonly clientOrderId: string }
  | {
      readonly kind: 'reported';
      readonly execution: Report['execution'];
      readonly clientOrderId: string;
      readonly exchangeOrderId: string;
      readonly fill: SeenFill | null;
    }
  | { readonly kind: 'killed' | 'backed-up' }
);

interface SeenFill {
  readonly symbol: string;
  readonly tradeId: string;
  readonly exchangeOrderId: string;
  readonly quantity: string;
  readonly commission: string;
  readonly commissionAsset: string;
}

/** Remembers the steps of a run that the harness sees, in their order. */
export interface Recorder {
  readonly steps: readonly SeenStep[];
  /** A piece of the worker's traffic with the exchange. */
  onTraffic(piece: Buffer, direction: 'out' | 'back', connection: number): void;
  /** Records each event of each order of the exchange. */
  follow(venue: Venue): void;
  note(kind: 'killed' | 'backed-up'): void;
}

const REFUSED_FOR_ITS_CLOCK = '"code":-1021';

export function createRecorder(): Recorder {
  const steps: SeenStep[] = [];
  /** The order of the last request of each connection. */
  const last = new Map<string, string>();
  const onRequest = (text: string): string | undefined => {
    const [, method = '', target = ''] =
      /^(GET|POST|DELETE) (\/api\/v3\/order(?:\/cancelReplace|List(?:\/oco)?)?\?\S*)/.exec(text) ?? [];
    if (method === '') return undefined;
    const params = new URL(target, 'http://x').searchParams;
    const atMs = Date.now();
    const original = params.get('origClientOrderId');
    if (method === 'GET') {
      if (original !== null) steps.push({ atMs, kind: 'looked-up', clientOrderId: original });
      return undefined;
    }
    // A list is named by its stop.
    const clientOrderId = params.get('belowClientOrderId') ?? params.get('newClientOrderId') ?? '';
    const placesNone = method === 'DELETE';
    const list = placesNone ? params.get('listClientOrderId') : null;
    const cancels =
      list === null ? (original ?? params.get('cancelOrigClientOrderId')) : originalIdOf(list, 'STOP_LOSS_LIMIT');
    steps.push({ atMs, kind: 'sent', clientOrderId, cancels, placesNone, signedMs: Number(params.get('timestamp')) });
    return placesNone ? undefined : clientOrderId;
  };
  return {
    steps,
    onTraffic(piece, direction, connection) {
      const text = piece.toString('latin1');
      const key = String(connection);
      if (direction === 'out') {
        const sent = onRequest(text);
        if (sent === undefined) last.delete(key);
        else last.set(key, sent);
        return;
      }
      const clientOrderId = last.get(key);
      if (clientOrderId === undefined || !text.includes(REFUSED_FOR_ITS_CLOCK)) return;
      steps.push({ atMs: Date.now(), kind: 'bounced', clientOrderId });
    },
    follow({ engine }) {
      const pass = engine.onReport.bind(engine);
      engine.onReport = (report) => {
        if (report.kind === 'order') steps.push(seenReport(report));
        pass(report);
      };
    },
    note: (kind) => void steps.push({ atMs: Date.now(), kind }),
  };
}

function seenReport({ execution, order, originalClientId, fill }: Report): SeenStep {
  const clientOrderId = originalIdOf(originalClientId === '' ? order.clientOrderId : originalClientId, order.type);
  return {
    ...{ atMs: Date.now(), kind: 'reported', execution, clientOrderId, exchangeOrderId: String(order.id) },
    fill:
      fill === null
        ? null
        : {
            ...{ symbol: fill.symbol, tradeId: String(fill.id), exchangeOrderId: String(fill.orderId) },
            ...{ quantity: formatDecimal(fill.quantity), commission: formatDecimal(fill.commission) },
            commissionAsset: fill.commissionAsset,
          },
  };
}
