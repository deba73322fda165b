import { z } from 'zod';
import { isObject } from '#core/merge.ts';
import type { Operation } from '#api/contract/operation.ts';
import { needOf } from '#api/contract/scopes.ts';
import { PROBLEM_STATUS, problemSchema } from '#api/contract/problem.ts';

type Json = Record<string, unknown>;
const PROBLEM = { $ref: '#/components/schemas/Problem' };

/** The input schema: fields with a default are optional, branded ids are text. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return json;
}

/** `/profiles/:id` as OpenAPI writes it: `/profiles/{id}`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

const parametersOf = (place: 'path' | 'query', schema: z.ZodType | undefined): Json[] => {
  if (schema === undefined) return [];
  const { properties, required } = schemaOf(schema);
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => ({
    name,
    in: place,
    required: needed.includes(name),
    schema: field,
  }));
};

const bodyOf = ({ body, upload }: Operation): Json => {
  if (upload !== undefined) return { requestBody: { required: true, content: { [upload]: {} } } };
  if (body === undefined) return {};
  return { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } } };
};

function answerOf({ status, response, media }: Operation): Json {
  const types = Object.fromEntries((media ?? []).map((type) => [type, {}]));
  const json = response === undefined ? {} : { 'application/json': { schema: schemaOf(response) } };
  const content = { ...json, ...types };
  return {
    [status]: {
      description: status === 204 ? 'Done; the answer has no body' : 'Done',
      ...(Object.keys(content).length === 0 ? {} : { content }),
    },
    default: { description: 'Refused', content: { 'application/problem+json': { schema: PROBLEM } } },
  };
}

const nameOf = ({ method, path }: Operation): string =>
  [method.toLowerCase(), ...path.split(/[/.:-]+/).filter((part) => part !== '')].join('_');

/** `x-scope`: scope that a token needs. */
function securityOf(operation: Operation): Json {
  const need = needOf(operation);
  if (need === 'public') return { security: [] };
  return need === 'session' ? { security: [{ session: [] }] } : { 'x-scope': need };
}

const describe = (operation: Operation): Json => ({
  operationId: nameOf(operation),
  tags: [operation.path.split('/')[1] ?? ''],
  summary: operation.summary,
  ...securityOf(operation),
  parameters: [...parametersOf('path', operation.params), ...parametersOf('query', operation.query)],
  ...bodyOf(operation),
  responses: answerOf(operation),
});

/** The contract as an OpenAPI 3.1 document. */
export function openApiOf(operations: readonly Operation[]): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = (paths[templateOf(operation.path)] ??= {});
    path[operation.method.toLowerCase()] = describe(operation);
  }
  const problem = schemaOf(problemSchema);
  const known = isObject(problem['properties']) ? problem['properties'] : {};
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tradewind',
      version: '1',
      description:
        'JSON in, JSON out. Money and quantities are decimal text, instants ISO 8601 UTC. A request outside a browser sends a token, or the header x-tradewind-client: 1 and the cookie of a session. The cookie of a session carries the port of the address in its name, and the prefix __Host- under https.',
    },
    servers: [{ url: '/api' }],
    security: [{ session: [] }, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'tradewind_session_8080' },
        token: { type: 'http', scheme: 'bearer', description: 'An API token; the scope that it needs is x-scope.' },
      },
      schemas: { Problem: { ...problem, properties: { ...known, code: { enum: Object.keys(PROBLEM_STATUS) } } } },
    },
  };
}
