import { Hono } from 'hono';
import type { ApiContext, ServerContext } from './context.ts';
import { mountEdge, mountErrors } from './edge.ts';
import type { VisitorLimits } from './guard/visitor-limits.ts';
import { type ApiEnv, createRoutes } from './handle.ts';
import { loadPages, mountPages } from './pages.ts';
import { ApiProblem, problemResponse } from './problem.ts';
import { mountAdvisor } from './routes/advisor.ts';
import { mountAiProvider } from './routes/ai-provider.ts';
import { mountAccountState } from './routes/account-state.ts';
import { mountAccounts } from './routes/accounts.ts';
import { mountActions } from './routes/actions.ts';
import { mountApiKey } from './routes/api-key.ts';
import { mountAverageEntryPrice } from './routes/average-entry-price.ts';
import { mountBacktestChecks } from './routes/backtest-checks.ts';
import { mountBacktestRepeat } from './routes/backtest-repeat.ts';
import { mountBacktests } from './routes/backtests.ts';
import { mountBackup } from './routes/backup.ts';
import { mountCandleColumns } from './routes/candle-columns.ts';
import { mountCapture } from './routes/capture.ts';
import { mountCoins } from './routes/coins.ts';
import { mountDashboard } from './routes/dashboard.ts';
import { mountDiagnosis } from './routes/diagnosis.ts';
import { mountDiscovery } from './routes/discovery.ts';
import { mountEnabling } from './routes/enabling.ts';
import { mountHistory } from './routes/history.ts';
import { mountJobs } from './routes/jobs.ts';
import { mountHealth } from './routes/health.ts';
import { mountKillSwitch } from './routes/kill-switch.ts';
import { mountLiveChecks } from './routes/live-checks.ts';
import { mountLogs } from './routes/logs.ts';
import { mountManual } from './routes/manual.ts';
import { mountMarket } from './routes/market.ts';
import { mountMarketView } from './routes/market-view.ts';
import { mountOrphans } from './routes/orphans.ts';
import { mountNotifiers } from './routes/notifiers.ts';
import { mountProfileConfigs } from './routes/profile-configs.ts';
import { mountProfiles } from './routes/profiles.ts';
import { mountReference } from './routes/reference.ts';
import { mountProof } from './routes/proof.ts';
import { mountRisk } from './routes/risk.ts';
import { mountSession } from './routes/session.ts';
import { mountSessions } from './routes/sessions.ts';
import { mountStatus } from './routes/status.ts';
import { mountSweeps } from './routes/sweeps.ts';
import { mountTickTrace } from './routes/tick-trace.ts';
import { mountTrades } from './routes/trades.ts';
import { mountUpkeep } from './routes/upkeep.ts';
import { mountWallet } from './routes/wallet.ts';

/** With connections of their own. */
const URGENT = [mountStatus, mountHealth, mountSession, mountKillSwitch];

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

/** The HTTP side: every operation under /api, the web app elsewhere. */
export async function createApp(context: ServerContext, limits?: VisitorLimits): Promise<Hono<ApiEnv>> {
  const app = new Hono<ApiEnv>();
  mountEdge(app, context, limits);
  mountErrors(app, context);
  const urgent: ApiContext = { ...context, database: context.reserved };
  const visitors = limits && { limits, guard: context };
  for (const mount of URGENT) mount(createRoutes(app, { context: urgent, guard: urgent, visitors }));
  for (const mount of FAMILIES) mount(createRoutes(app, { context, guard: urgent, visitors }));
  const { webDir } = context.settings;
  if (webDir !== undefined) mountPages(app, await loadPages(webDir));
  app.notFound((c) =>
    problemResponse(new ApiProblem('not_found', `There is nothing at ${c.req.method} ${c.req.path}.`)),
  );
  return app;
}
