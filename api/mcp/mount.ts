import type { Context, Hono } from 'hono';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { requestOf } from '#api/client.ts';
import type { Operation } from '#api/contract/operation.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { callerOf } from '#api/guard/caller.ts';
import { authenticateToken, bearerIn, MCP_PATH, mayCall } from '#api/guard/token.ts';
import { requireAllowance } from '#api/guard/throttle.ts';
import type { ApiEnv } from '#api/handle.ts';
import type { Called } from './server.ts';
import type { LooseCall } from './tools.ts';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_A_MINUTE = 120;
/** The caller's address and browser, so that audit and limits see them. */
const FORWARDED = ['authorization', 'x-forwarded-for', 'x-real-ip', 'user-agent', 'host'];

/** Loaded at the first request: most installations never have one. */
const load = () => Promise.all([import('@modelcontextprotocol/server'), import('./server.ts')]);

function callWith(app: Hono<ApiEnv>, headers: Headers) {
  const forwarded = FORWARDED.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return async (operation: Operation, parts: LooseCall): Promise<Called> => {
    const { address, init } = requestOf(operation, parts);
    const response = await app.request(address, {
      ...init,
      headers: { ...init.headers, ...Object.fromEntries(forwarded) },
    });
    return { status: response.status, text: await response.text() };
  };
}

/** The door of assistants: Model Context Protocol over HTTP, with an API token. */
export function mountMcp(app: Hono<ApiEnv>, context: ApiContext): void {
  app.all(MCP_PATH, async (c: Context<ApiEnv>) => {
    const { headers } = c.req.raw;
    const bearer = bearerIn(headers);
    if (bearer === undefined) {
      const challenge = { headers: { 'www-authenticate': 'Bearer' } };
      throw new ApiProblem(
        'bad_token',
        'An assistant needs an API token: send it as Authorization: Bearer.',
        challenge,
      );
    }
    const caller = callerOf(headers, { origin: c.get('origin'), listed: context.settings.origins });
    const operator = await authenticateToken(context, bearer, caller);
    const key = cacheKeys.assistantRequests(operator.token?.id ?? '');
    await requireAllowance(context.cache, key, { most: MAX_A_MINUTE, what: 'Tools' });
    const [{ createMcpHandler }, { createAssistantServer }] = await load();
    const may = (operation: Operation): boolean => mayCall(operator, operation);
    const server = () =>
      createAssistantServer({ call: callWith(app, headers), mayCall: may, version: context.settings.sha });
    const onerror = (error: Error): void =>
      context.log.debug({ event: 'assistant_error', err: error }, 'A request of an assistant was refused');
    return createMcpHandler(server, { maxRequestBodySize: MAX_BODY_BYTES, onerror }).fetch(c.req.raw);
  });
}
