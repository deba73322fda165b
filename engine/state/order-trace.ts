import type { Trigger } from '#core/decision/audit.ts';
import type { Span, SpanAttributes, Tracer } from '#core/ports/tracing.ts';

interface OrderTraceInput {
  readonly tracer: Tracer;
  readonly trigger: Trigger;
  /** performance.now() at which the last price arrived. */
  readonly priceSeenMs: number;
  readonly attributes: SpanAttributes;
}

/** The trace of the orders of one tick. Its spans are created when the tick sends something: a tick that sends nothing has none. */
export class OrderTrace {
  readonly #input: OrderTraceInput;
  readonly #tickMs = performance.now();
  #root: Span | undefined;

  constructor(input: OrderTraceInput) {
    this.#input = input;
  }

  /** The span of the tick. The first call creates it, from the price that triggered the tick, and ends the decision. */
  span(): Span {
    this.#root ??= this.#start();
    return this.#root;
  }

  end(): void {
    this.#root?.end();
  }

  #start(): Span {
    const { tracer, trigger, priceSeenMs, attributes } = this.#input;
    const byPrice = trigger === 'price' && Number.isFinite(priceSeenMs);
    const startMs = byPrice ? priceSeenMs : this.#tickMs;
    const all = { ...attributes, 'tradewind.trigger': trigger };
    const root = tracer.start({ name: 'tick', startMs, attributes: all });
    if (byPrice) root.child({ name: 'price', startMs }).end(this.#tickMs);
    root.child({ name: 'decide', startMs: this.#tickMs }).end();
    return root;
  }
}
