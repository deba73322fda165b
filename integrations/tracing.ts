import type { Environment } from '#core/installation/env.ts';
import type { Tracer } from '#core/ports/tracing.ts';
import type { Log } from './log.ts';

interface TracedProcess {
  /** The process: api or worker. */
  readonly process: string;
  readonly sha: string;
  readonly log: Log;
}

/**
 * Opens the tracer of this process; undefined without OTEL_EXPORTER_OTLP_ENDPOINT. The packages of OpenTelemetry are
 * loaded only here, so that they cost neither time nor memory while traces are off. Disposing sends what is left.
 */
export async function openTracer(
  env: Pick<Environment, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_SERVICE_NAME'>,
  { process, sha, log }: TracedProcess,
): Promise<(Tracer & AsyncDisposable) | undefined> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { createOtlpTracer } = await import('./otlp.ts');
  return createOtlpTracer({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    service: env.OTEL_SERVICE_NAME ?? `tradewind-${process}`,
    sha,
    onFailure: (err) => log.warn({ event: 'traces_not_sent', err }, 'Traces could not be sent and are lost'),
  });
}
