import { type Context, ROOT_CONTEXT, type Span as ApiSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Span, SpanStart, Tracer } from '#core/ports/tracing.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
/** A collector that is away delays the end of the process by no more than this: npm start gives the api 700 ms. */
const CLOSE_MS = 400;

interface OtlpOptions {
  readonly url: string;
  readonly service: string;
  readonly sha: string;
  /** Called for the first of several failures in a row. */
  readonly onFailure: (error: unknown) => void;
}

/** A tracer that sends its spans by OTLP over HTTP, in batches. Full queues drop spans; nothing waits for them. */
export function createOtlpTracer({ url, service, sha, onFailure }: OtlpOptions): Tracer & AsyncDisposable {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': sha }),
    spanProcessors: [new BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter({ url }), onFailure) })],
  });
  const tracer = provider.getTracer('tradewind', sha);
  return {
    start(start) {
      // All spans of a trace use one offset: a step of the clock between them does not move them apart.
      const toWall = Date.now() - performance.now();
      const spanOf = ({ name, startMs = performance.now(), kind, attributes = {} }: SpanStart, within: Context): Span =>
        wrap(
          tracer.startSpan(
            name,
            { startTime: toWall + startMs, attributes, kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind] },
            within,
          ),
        );
      const wrap = (span: ApiSpan): Span => ({
        child: (inner) => spanOf(inner, trace.setSpan(ROOT_CONTEXT, span)),
        rename: (name) => void span.updateName(name),
        set: (attributes) => void span.setAttributes(attributes),
        fail(error) {
          span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
          span.setStatus({ code: SpanStatusCode.ERROR });
        },
        end: (endMs = performance.now()) => span.end(toWall + endMs),
      });
      return spanOf(start, ROOT_CONTEXT);
    },
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, CLOSE_MS);
      await Promise.race([provider.shutdown().catch(() => {}), promise]);
      clearTimeout(limit);
    },
  };
}

/** Reports the first of several failures in a row: the exporter alone fails silently. */
function reporting(exporter: SpanExporter, onFailure: (error: unknown) => void): SpanExporter {
  let failing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !failing) onFailure(result.error);
        failing = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
