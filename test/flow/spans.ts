import { z } from 'zod';
import type { Receiver } from '#integrations/test-receiver.ts';

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const span = z.object({
  traceId: z.string().length(32),
  spanId: z.string().length(16),
  parentSpanId: z.string().length(16).optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string().transform(BigInt),
  endTimeUnixNano: z.string().transform(BigInt),
  attributes: z.array(attribute),
});
const sent = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export type SentSpan = z.output<typeof span> & { readonly service: unknown };

const valueOf = (attributes: readonly z.output<typeof attribute>[], name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

/** All spans that a receiver got by OTLP, with the service that sent them. */
export const spansOf = ({ received }: Receiver): SentSpan[] =>
  received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => sent.parse(body).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = valueOf(resource.attributes, 'service.name');
      return scopeSpans.flatMap(({ spans }) => spans.map((own) => ({ ...own, service })));
    });

export const attributeOf = ({ attributes }: SentSpan, name: string): unknown => valueOf(attributes, name);

/** The path of a span: the names from the root of its trace down to it. */
export function pathOf(all: readonly SentSpan[], of: SentSpan): string {
  const parent = all.find(({ traceId, spanId }) => traceId === of.traceId && spanId === of.parentSpanId);
  return parent === undefined ? of.name : `${pathOf(all, parent)} > ${of.name}`;
}
