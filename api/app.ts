import { Hono } from 'hono';
import type { ApiContext, ServerContext } from '#api/frame/context.ts';
import { mountMiddleware, mountErrors } from './middleware.ts';
import type { VisitorLimits } from '#api/guard/visitor-limits.ts';
import { type ApiEnv, createRoutes } from './handle.ts';
import { loadPages, mountPages } from '#api/frame/pages.ts';
import { ApiProblem, problemResponse } from '#api/frame/problem.ts';
import { mountAdvisor } from '#api/routes/advisor.ts';
import { mountAiProvider } from '#api/routes/ai-provider.ts';
import { mountAccountState } from '#api/routes/account-state.ts';
import { mountAccounts } from '#api/routes/accounts.ts';
import { mountActions } from '#api/routes/actions.ts';
import { mountApiKey } from '#api/routes/api-key.ts';
import { mountAverageEntryPrice } from '#api/routes/average-entry-price.ts';
import { mountBacktestChecks } from '#api/routes/backtest-checks.ts';
import { mountBacktestRepeat } from '#api/routes/backtest-repeat.ts';
import { mountBacktests } from '#api/routes/backtests.ts';
import { mountBackup } from '#api/routes/backup.ts';
import { mountCandleColumns } from '#api/routes/candle-columns.ts';
import { mountCapture } from '#api/routes/capture.ts';
import { mountCoins } from '#api/routes/coins.ts';
import { mountDashboard } from '#api/routes/dashboard.ts';
import { mountDiagnosis } from '#api/routes/diagnosis.ts';
import { mountDiscovery } from '#api/routes/discovery.ts';
import { mountEnabling } from '#api/routes/enabling.ts';
import { mountHistory } from '#api/routes/history.ts';
import { mountJobs } from '#api/routes/jobs.ts';
import { mountHealth } from '#api/routes/health.ts';
import { mountKillSwitch } from '#api/routes/kill-switch.ts';
import { mountLiveChecks } from '#api/routes/live-checks.ts';
import { mountLogs } from '#api/routes/logs.ts';
import { mountManual } from '#api/routes/manual.ts';
import { mountMarket } from '#api/routes/market.ts';
import { mountMarketView } from '#api/routes/market-view.ts';
import { mountOrphans } from '#api/routes/orphans.ts';
import { mountNotifiers } from '#api/routes/notifiers.ts';
import { mountProfileConfigs } from '#api/routes/profile-configs.ts';
import { mountProfiles } from '#api/routes/profiles.ts';
import { mountReference } from '#api/routes/reference.ts';
import { mountProof } from '#api/routes/proof.ts';
import { mountRisk } from '#api/routes/risk.ts';
import { mountSession } from '#api/routes/session.ts';
import { mountSessions } from '#api/routes/sessions.ts';
import { mountStatus } from '#api/routes/status.ts';
import { mountSweeps } from '#api/routes/sweeps.ts';
import { mountTickTrace } from '#api/routes/tick-trace.ts';
import { mountTrades } from '#api/routes/trades.ts';
import { mountUpkeep } from '#api/routes/upkeep.ts';
import { mountWallet } from '#api/routes/wallet.ts';

/** Routes that use reserved connections. */
const RESERVED_ROUTES = [mountStatus, mountHealth, mountSession, mountKillSwitch];

const FAMILIES = [
  mountReference,
  mountSessions,
  mountAccounts,
  mountApiKey,
  mountWallet,
  mountAccountState,
  mountRisk,
  mountActions,
  mountOrphans,
  mountProfiles,
  mountProfileConfigs,
  mountNotifiers,
  mountBackup,
  mountDiagnosis,
  mountEnabling,
  mountCoins,
  mountAverageEntryPrice,
  mountManual,
  mountProof,
  mountCapture,
  mountLogs,
  mountTrades,
  mountHistory,
  mountUpkeep,
  mountTickTrace,
  mountMarket,
  mountDiscovery,
  mountMarketView,
  mountCandleColumns,
  mountJobs,
  mountDashboard,
  mountBacktests,
  mountBacktestChecks,
  mountBacktestRepeat,
  mountLiveChecks,
  mountSweeps,
  mountAdvisor,
  mountAiProvider,
];

/** The HTTP app: every operation under /api, the web app at all other paths. */
export async function createApp(context: ServerContext, limits?: VisitorLimits): Promise<Hono<ApiEnv>> {
  const app = new Hono<ApiEnv>();
  mountMiddleware(app, context, limits);
  mountErrors(app, context);
  const urgent: ApiContext = { ...context, database: context.reserved };
  const visitors = limits && { limits, guard: context };
  for (const mount of RESERVED_ROUTES) mount(createRoutes(app, { context: urgent, guard: urgent, visitors }));
  for (const mount of FAMILIES) mount(createRoutes(app, { context, guard: urgent, visitors }));
  const { webDir } = context.settings;
  if (webDir !== undefined) mountPages(app, await loadPages(webDir));
  app.notFound((c) =>
    problemResponse(new ApiProblem('not_found', `There is nothing at ${c.req.method} ${c.req.path}.`)),
  );
  return app;
}
