import type { OnWire } from '#core/order/order-evidence.ts';
import type { Span, SpanAttributes } from '#core/ports/tracing.ts';

/** Adds a child of `parent` from each request to its answer; the query and the bodies are not part of it. */
export function traceWire(onWire: OnWire, parent: Span | undefined): OnWire {
  if (parent === undefined) return onWire;
  let call: Span | undefined;
  return (seen) => {
    const detail = new Map<string, unknown>(Object.entries(seen.detail ?? {}));
    if (seen.kind === 'request') {
      const attributes = pick(detail, { method: 'http.request.method', path: 'url.path' });
      call = parent.child({ name: 'exchange request', kind: 'client', attributes });
    } else {
      call?.set(pick(detail, { status: 'http.response.status_code', code: 'tradewind.exchange.code' }));
      if (detail.has('message')) call?.fail(new Error('The exchange refused the request, or gave no answer.'));
      call?.end();
    }
    onWire(seen);
  };
}

function pick(detail: ReadonlyMap<string, unknown>, names: Readonly<Record<string, string>>): SpanAttributes {
  const attributes: Record<string, string | number> = {};
  for (const [key, name] of Object.entries(names)) {
    const value = detail.get(key);
    if (typeof value === 'string' || typeof value === 'number') attributes[name] = value;
  }
  return attributes;
}
