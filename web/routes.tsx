import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent as load,
  Link,
  Navigate,
  Outlet,
  type RouteComponent,
  useMatches,
} from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { type ProfileId, readId } from '#core/ids.ts';
import { onboarding } from '#api/contract/session.ts';
import { prefetchCoin } from '#web/data/coin-reads.ts';
import { prefetchSession, useSession } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import { Failure } from '#web/ui/notice.tsx';
import { BootFrame } from '#web/shell/boot-frame.tsx';

const SignInPage = load(() => import('#web/shell/sign-in.tsx'), 'SignInPage');

/** Shows the welcome page before the first operator exists, the sign-in page without a session, else the page. */
function Gate(): ReactNode {
  // The rendered match, not the address: while a page still loads, the old one must not be rendered for the new state.
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  // Without the first answer no page opens.
  const installation = useRead(onboarding, {}, { every: (data) => (data === undefined ? 5_000 : false) });
  const session = useSession({ enabled: installation.data?.needsOnboarding === false });
  if (installation.data === undefined) return <Waiting for={installation} what="the service" />;
  if (installation.data.needsOnboarding) return path === '/welcome' ? <Outlet /> : <Navigate to="/welcome" />;
  if (session.data === null) {
    return (
      <Suspense fallback={<BootFrame awaits="the page" />}>
        <SignInPage />
      </Suspense>
    );
  }
  if (session.data === undefined) return <Waiting for={session} what="the session" />;
  // A visitor of a live demo may be its operator.
  return path === '/sign-in' && !installation.data.demoMode ? <Navigate to="/" /> : <Outlet />;
}

interface WaitingProps {
  for: { readonly error: unknown; readonly refetch: () => unknown };
  what: string;
}

/** The frame of a page until the first answer; a failure with a retry. */
function Waiting({ for: { error, refetch }, what }: WaitingProps): ReactNode {
  if (error === null) return <BootFrame awaits={what} />;
  return (
    <BootFrame awaits={what}>
      <Failure what={`Could not load ${what}.`} error={error} retry={refetch} />
    </BootFrame>
  );
}

function NotFound(): ReactNode {
  return (
    <div className="head">
      <title>Page not found · Tradewind</title>
      <h1 className="verdict">Page not found.</h1>
      <p className="two">There is no page at this address.</p>
      <p>
        <Link to="/">Back to the overview</Link>
      </p>
    </div>
  );
}

function PageError({ error }: { error: unknown }): ReactNode {
  return (
    <div className="head">
      <Failure what="Could not show this page." error={error} />
    </div>
  );
}

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  // In one request with the first data of the page.
  loader: ({ context: { client } }) => prefetchSession(client),
  component: Gate,
  notFoundComponent: NotFound,
});
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: load(() => import('#web/shell/shell.tsx'), 'Shell'),
  notFoundComponent: NotFound,
});
const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: load(() => import('#web/welcome/welcome.tsx'), 'WelcomePage'),
});
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignInPage });

/** A page inside the shell; its script is loaded before it opens. */
const page = <const Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => shell, path, component });

/** Optional text parameters of an address. */
const texts =
  <const Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): { [name in Name]?: string } => {
    const known: { [name in Name]?: string } = {};
    for (const name of names) if (typeof search[name] === 'string') known[name] = search[name];
    return known;
  };

const config = createRoute({
  getParentRoute: () => shell,
  path: '/profiles/$id/config',
  validateSearch: texts('coin', 'edit', 'field'),
  component: load(() => import('#web/config/config.tsx'), 'ConfigPage'),
});
const dryRuns = createRoute({
  getParentRoute: () => shell,
  path: '/profiles/$id/dry-runs',
  validateSearch: texts('run'),
  component: load(() => import('#web/config/dry-runs.tsx'), 'DryRunsPage'),
});
const diagnosis = createRoute({
  getParentRoute: () => shell,
  path: '/profiles/$id/diagnosis',
  validateSearch: texts('coin', 'run'),
  component: load(() => import('#web/profile/diagnosis.tsx'), 'DiagnosisPage'),
});
const coin = createRoute({
  getParentRoute: () => shell,
  path: '/profiles/$id/coins/$symbol',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'logs' } => (tab === 'logs' ? { tab } : {}),
  // Fetch the first data while the script still loads.
  loader({ params: { id: text, symbol }, context: { client }, location, preload }) {
    const id = readId<ProfileId>(text);
    const isTrade = !('tab' in location.search);
    if (id !== undefined) prefetchCoin(client, { id, symbol }, isTrade && !preload);
  },
  component: load(() => import('#web/coin/coin.tsx'), 'CoinPage'),
});
const performance = createRoute({
  getParentRoute: () => shell,
  path: '/performance',
  validateSearch: texts('account', 'profile', 'period', 'from', 'to', 'day'),
  component: load(() => import('#web/performance/performance.tsx'), 'PerformancePage'),
});
const backtests = createRoute({
  getParentRoute: () => shell,
  path: '/profiles/$id/backtests',
  validateSearch: (search: Record<string, unknown>): { try?: string } =>
    typeof search['try'] === 'string' ? { try: search['try'] } : {},
  component: load(() => import('#web/research/backtests.tsx'), 'BacktestsPage'),
});
const compare = createRoute({
  getParentRoute: () => shell,
  path: '/profiles/$id/compare',
  validateSearch: ({ runs }: Record<string, unknown>): { runs?: string } => (typeof runs === 'string' ? { runs } : {}),
  component: load(() => import('#web/research/compare.tsx'), 'ComparePage'),
});
const strategyVersion = createRoute({
  getParentRoute: () => shell,
  path: '/strategies/$hash',
  validateSearch: texts('against'),
  component: load(() => import('#web/strategies/version.tsx'), 'StrategyVersionPage'),
});
const pages = [
  // Inside the shell, so that a wrong address keeps the header.
  page('$', NotFound),
  page(
    '/',
    load(() => import('#web/overview/dashboard.tsx'), 'DashboardPage'),
  ),
  page(
    '/profiles',
    load(() => import('#web/profile/profiles.tsx'), 'ProfilesPage'),
  ),
  page(
    '/profiles/new',
    load(() => import('#web/welcome/new-profile.tsx'), 'NewProfilePage'),
  ),
  page(
    '/profiles/$id',
    load(() => import('#web/profile/profile.tsx'), 'ProfilePage'),
  ),
  page(
    '/profiles/$id/risk',
    load(() => import('#web/config/limits.tsx'), 'LimitsPage'),
  ),
  page(
    '/profiles/$id/logs',
    load(() => import('#web/profile/logs.tsx'), 'LogsPage'),
  ),
  page(
    '/profiles/$id/backtests/$runId',
    load(() => import('#web/research/backtest.tsx'), 'BacktestPage'),
  ),
  page(
    '/profiles/$id/sweeps',
    load(() => import('#web/research/sweeps.tsx'), 'SweepsPage'),
  ),
  page(
    '/profiles/$id/sweeps/$sweepId',
    load(() => import('#web/research/sweep.tsx'), 'SweepPage'),
  ),
  page(
    '/profiles/$id/live-checks',
    load(() => import('#web/research/live-checks.tsx'), 'LiveChecksPage'),
  ),
  page(
    '/profiles/$id/discovery',
    load(() => import('#web/research/discovery.tsx'), 'DiscoveryPage'),
  ),
  page(
    '/profiles/$id/history',
    load(() => import('#web/profile/history.tsx'), 'HistoryPage'),
  ),
  page(
    '/profiles/$id/manage',
    load(() => import('#web/profile/manage.tsx'), 'ManagePage'),
  ),
  page(
    '/profiles/$id/signals',
    load(() => import('#web/programs/signals.tsx'), 'SignalsPage'),
  ),
  page(
    '/research',
    load(() => import('#web/research/research-hub.tsx'), 'ResearchHubPage'),
  ),
  page(
    '/strategies',
    load(() => import('#web/strategies/strategies.tsx'), 'StrategiesPage'),
  ),
  page(
    '/more',
    load(() => import('#web/shell/more.tsx'), 'MorePage'),
  ),
  page(
    '/changes',
    load(() => import('#web/settings/changes.tsx'), 'ChangesPage'),
  ),
  page(
    '/activity',
    load(() => import('#web/shell/activity.tsx'), 'ActivityPage'),
  ),
  page(
    '/orders/$id',
    load(() => import('#web/coin/order.tsx'), 'OrderPage'),
  ),
  page(
    '/orphans',
    load(() => import('#web/coin/orphans.tsx'), 'OrphansPage'),
  ),
  page(
    '/dead-letters',
    load(() => import('#web/settings/dead-letters.tsx'), 'DeadLettersPage'),
  ),
  page(
    '/notifications',
    load(() => import('#web/settings/account-notifications.tsx'), 'AccountNotificationsPage'),
  ),
  page(
    '/approvals',
    load(() => import('#web/programs/approvals.tsx'), 'ApprovalsPage'),
  ),
  page(
    '/tokens',
    load(() => import('#web/programs/tokens.tsx'), 'TokensPage'),
  ),
  page(
    '/settings',
    load(() => import('#web/settings/settings.tsx'), 'SettingsPage'),
  ),
] as const;

/** The router; its preloaded data goes into the query cache. */
export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      welcome,
      signIn,
      shell.addChildren([config, coin, dryRuns, diagnosis, performance, backtests, compare, strategyVersion, ...pages]),
    ]),
    context: { client },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: PageError,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
