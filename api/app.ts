import { Hono } from 'hono';
import type { ApiContext, ServerContext } from '#api/frame/context.ts';
import { mountMiddleware, mountErrors } from './middleware.ts';
import type { VisitorLimits } from '#api/guard/visitor-limits.ts';
import { type AllRoutes, type ApiEnv, createRoutes } from './handle.ts';
import { loadPages, mountPages } from '#api/frame/pages.ts';
import { ApiProblem, problemResponse } from '#api/frame/problem.ts';
import { mountMcp } from '#api/mcp/mount.ts';
import { exportsIn } from './modules.ts';

type Mount = (routes: AllRoutes) => void;
const isMount = ([name, value]: [string, unknown]): boolean => /^mount[A-Z]/.test(name) && typeof value === 'function';

/** The `mount…` functions of all files in `routes`. */
const mounts = async (): Promise<Mount[]> =>
  (await exportsIn(new URL('routes/', import.meta.url), import.meta.url))
    .filter(isMount)
    .map(([, mount]) => mount as Mount);

/** The HTTP app: every operation under /api, the web app at all other paths. */
export async function createApp(context: ServerContext, limits?: VisitorLimits): Promise<Hono<ApiEnv>> {
  const app = new Hono<ApiEnv>();
  mountMiddleware(app, context, limits);
  mountErrors(app, context);
  const urgent: ApiContext = { ...context, database: context.reserved };
  const visitors = limits && { limits, guard: context };
  const routes = {
    ...createRoutes(app, { context, guard: urgent, visitors }),
    urgent: createRoutes(app, { context: urgent, guard: urgent, visitors }),
  };
  for (const mount of await mounts()) mount(routes);
  mountMcp(app, urgent);
  const { webDir } = context.settings;
  if (webDir !== undefined) mountPages(app, await loadPages(webDir));
  app.notFound((c) =>
    problemResponse(new ApiProblem('not_found', `There is nothing at ${c.req.method} ${c.req.path}.`)),
  );
  return app;
}
