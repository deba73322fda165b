/** Ids, names and numbers. Never a key, a signature, the query of a request, an address of a person or a request body. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  /** performance.now() in ms; absent: now. */
  readonly startMs?: number;
  /** `server` answers a request, `client` waits for the answer to one; absent: a step inside the process. */
  readonly kind?: 'server' | 'client';
  readonly attributes?: SpanAttributes;
}

/** A step of a trace with its start and its end. */
export interface Span {
  child(start: SpanStart): Span;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the step as failed, with the name of the error only: a message may quote data. */
  fail(error: unknown): void;
  /** `endMs` is performance.now() in ms; absent: now. */
  end(endMs?: number): void;
}

/** Starts traces. It is absent while traces are off, so that no span is created. */
export interface Tracer {
  start(start: SpanStart): Span;
}

/** Runs `step` in a child span of `parent`. Without a parent it only runs `step`. */
export const inSpan = <Value>(
  parent: Span | undefined,
  name: string,
  step: (span: Span | undefined) => Promise<Value>,
): Promise<Value> => (parent === undefined ? step(undefined) : runIn(parent.child({ name }), step));

async function runIn<Value>(span: Span, step: (span: Span) => Promise<Value>): Promise<Value> {
  try {
    return await step(span);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
