import type { Context, Hono } from 'hono';
import { newId } from '#core/ids.ts';
import type { Span } from '#core/ports/tracing.ts';
import { httpRequests } from '#integrations/metrics.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { type Caller, callerOf } from '#api/guard/caller.ts';
import { requireUnlocked } from '#api/guard/demo-locks.ts';
import { corsHeaders, PREFLIGHT_HEADERS, requireOrigin } from '#api/guard/origin.ts';
import { MCP_PATH, SIGNALS_PATH } from '#api/guard/token.ts';
import { HSTS, securityHeaders } from '#api/guard/security-headers.ts';
import type { VisitorLimits } from '#api/guard/visitor-limits.ts';
import type { ApiEnv } from './handle.ts';
import { ApiProblem, problemResponse } from '#api/frame/problem.ts';
import { toProblem } from '#api/frame/to-problem.ts';

/** Middleware of every request and response: request id, origin check, rate limits, demo locks, headers and log. */
export function mountMiddleware(
  app: Hono<ApiEnv>,
  { settings, log, tracer }: ApiContext,
  visitors?: VisitorLimits,
): void {
  const callerIn = (c: Context<ApiEnv>): Caller =>
    callerOf(c.req.raw.headers, { origin: c.get('origin'), listed: settings.origins });
  /** Counts requests with a refused origin too, because a refusal also has a cost. */
  const count = (c: Context<ApiEnv>): void => {
    const sent = c.req.header('origin');
    // A page of a listed origin may read the refusal.
    if (sent !== undefined && settings.origins.includes(sent)) c.set('origin', sent);
    visitors?.requireRequest(c.req.header('cookie') ?? null, callerIn(c));
  };
  const hardening = Object.entries(securityHeaders(settings.origins));
  app.use(async (c, next) => {
    const requestId = newId();
    const startedMs = performance.now();
    c.set('requestId', requestId);
    c.set('origin', null);
    const span = tracer?.start({
      name: c.req.method,
      kind: 'server',
      attributes: { 'tradewind.request.id': requestId },
    });
    c.set('span', span);
    await next();
    if (span !== undefined) endSpan(span, c);
    for (const [name, value] of hardening) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    const { secure, ip } = callerIn(c);
    const more = { ...corsHeaders(c.get('origin')), ...(secure ? HSTS : {}) };
    for (const [name, value] of Object.entries(more)) c.res.headers.set(name, value);
    c.res.headers.set('x-request-id', requestId);
    const ms = Math.round(performance.now() - startedMs);
    const labels = { method: c.req.method, route: c.req.routePath, status: String(c.res.status) };
    httpRequests.observe(labels, (performance.now() - startedMs) / 1000);
    // A flood that is refused must not fill the log; the metrics count it.
    log[c.res.status === 429 ? 'debug' : 'info'](
      { event: 'request', requestId, method: c.req.method, path: c.req.path, status: c.res.status, ms, ip },
      'A request was answered',
    );
  });
  app.use(async (c, next) => {
    count(c);
    const { method } = c.req;
    const ignoresCookies = c.req.path === MCP_PATH || c.req.path.startsWith(SIGNALS_PATH);
    c.set('origin', requireOrigin({ method, headers: c.req.raw.headers, allowed: settings.origins, ignoresCookies }));
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT_HEADERS });
    if (settings.liveDemo && c.req.path.startsWith('/api/')) requireUnlocked(method, c.req.path.slice('/api'.length));
    return next();
  });
}

/** Names the span by the route: a path may hold ids, and the path of a signal its secret. */
function endSpan(span: Span, { req, res }: Context<ApiEnv>): void {
  span.rename(`${req.method} ${req.routePath}`);
  span.set({ 'http.request.method': req.method, 'http.route': req.routePath, 'http.response.status_code': res.status });
  if (res.status >= 500) span.fail(new Error('The request failed.'));
  span.end();
}

/** Turns a thrown error into problem details. Logs an unexpected error and hides its details from the client. */
export function mountErrors(app: Hono<ApiEnv>, { log }: ApiContext): void {
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    const problem = toProblem(error, `The request failed unexpectedly. Find request ${requestId} in the log.`);
    const about = { requestId, err: error };
    if (error instanceof ApiProblem) return problemResponse(problem);
    if (problem.code === 'unavailable')
      log.warn({ event: 'store_unreachable', ...about }, 'The database or the cache store is unreachable');
    else if (problem.code === 'validation_failed')
      log.warn({ event: 'value_refused', ...about }, 'The database refused a value');
    else log.error({ event: 'request_failed', ...about }, 'An operation failed');
    return problemResponse(problem);
  });
}
