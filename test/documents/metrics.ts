import { register } from 'prom-client';
import '#integrations/metrics.ts';
import { measureAccounts, measureDisks, measureJobs, measurePositions, measureVenues } from '#worker/measures.ts';
import { openDatabase } from '#storage/postgres/database.ts';

interface Described {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** Every metric that is made, as the code registers it; nothing is read, so no database is needed. */
function registered(): Described[] {
  using stack = new DisposableStack();
  stack.use(measureAccounts(() => []));
  stack.use(measureVenues(() => []));
  const database = openDatabase('postgres://127.0.0.1/never');
  stack.use(measureJobs(database));
  stack.use(measurePositions(database));
  stack.use(measureDisks([]));
  const known: readonly Described[] = register.getMetricsAsArray();
  return known.filter(({ name }) => name.startsWith('tradewind_')).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** docs/operator/metrics.md. */
export function metrics(): string {
  const rows = registered().map(
    ({ name, help, labelNames = [] }) => `| \`${name}\` | ${labelNames.join(', ')} | ${help} |`,
  );
  return `# Metrics

Made from the code by \`npm run documents\`; change it there.

\`METRICS_PORT\` makes api and worker serve metrics for Prometheus, at \`/metrics\` on \`HOST\`; no other client should reach that port. Under
\`npm start\` the api has the port and the worker the next one. The paper exchange has its own on its control port.

| metric | labels | what it is |
|---|---|---|
${rows.join('\n')}
| \`process_*\`, \`nodejs_*\` | | memory, processor time, event loop of the process |

\`event\` of \`tradewind_profile_log_rows_total\` names outcomes of orders and what was noticed: \`order_filled\`, \`order_rejected\`,
\`order_unknown\`, \`breaker_opened\`, ... A metric whose source is away (the database, a coin that does not run) has no row.

[deploy/observability/alerts.yaml](../../deploy/observability/alerts.yaml) holds alert rules: no worker trades, a position without its
stop, an order without proof, stale prices, errors, a slow api, revisions that differ, a clock that is off, work that does not run, a disk
that is nearly full. Tests of promtool check when each of them fires.
[deploy/observability/dashboard.json](../../deploy/observability/dashboard.json) is a dashboard for Grafana: import it and choose the
Prometheus. No test runs it in a Grafana; tests check that Grafana's types accept it, that every metric it names exists, and that promtool
accepts its expressions.
`;
}

type Unit = 'short' | 's' | 'percentunit' | 'bytes' | 'ops';
const PANELS: readonly (readonly [title: string, unit: Unit, expression: string, legend: string])[] = [
  ['Accounts that are traded', 'short', 'sum(tradewind_accounts_running)', 'accounts'],
  ['Faults in a row', 'short', 'max by (account) (tradewind_account_faults)', '{{account}}'],
  ['Longest without its stop', 's', 'max by (symbol) (tradewind_unprotected_seconds)', '{{symbol}}'],
  ['Orders without proof', 'short', 'sum by (symbol) (tradewind_orders_unproven)', '{{symbol}}'],
  ['Oldest price', 's', 'topk(5, max by (symbol) (tradewind_price_age_seconds))', '{{symbol}}'],
  ['Decisions', 'ops', 'sum by (decision, approval) (rate(tradewind_ticks_total[5m]))', '{{decision}} {{approval}}'],
  [
    'Why it does not buy',
    'ops',
    'topk(8, sum by (reason) (rate(tradewind_ticks_total{decision="nothing"}[5m])))',
    '{{reason}}',
  ],
  [
    'Orders and their outcome',
    'short',
    'sum by (event) (increase(tradewind_profile_log_rows_total{event=~"order_.*"}[15m]))',
    '{{event}}',
  ],
  [
    'Errors in logs of profiles',
    'short',
    'sum by (event) (increase(tradewind_profile_log_rows_total{level="error"}[15m]))',
    '{{event}}',
  ],
  ['Request weight of this minute', 'short', 'max by (venue) (tradewind_request_weight_used)', '{{venue}}'],
  ['Clock of the exchange', 's', 'tradewind_clock_offset_seconds', '{{venue}} {{instance}}'],
  ['Jobs that wait', 'short', 'max by (task) (tradewind_jobs_waiting)', '{{task}}'],
  ['Age of what runs by itself', 's', 'max by (task) (tradewind_schedule_age_seconds)', '{{task}}'],
  ['Ledger against wallet', 'short', 'sum by (result) (increase(tradewind_identity_checks_total[1d]))', '{{result}}'],
  [
    'Slowest percent of requests',
    's',
    'histogram_quantile(0.99, sum by (le, route) (rate(tradewind_http_request_seconds_bucket[5m])))',
    '{{route}}',
  ],
  ['Processor', 'percentunit', 'rate(process_cpu_seconds_total[1m])', '{{instance}}'],
  ['Memory', 'bytes', 'process_resident_memory_bytes', '{{instance}}'],
  ['Free disk', 'bytes', 'min by (instance, folder) (tradewind_disk_free_bytes)', '{{instance}} {{folder}}'],
];

/** deploy/observability/dashboard.json, in the model of Grafana 11. */
export function dashboard(): string {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  const panels = PANELS.map(([title, unit, expr, legendFormat], i) => ({
    ...{ id: i + 1, type: 'timeseries', title, datasource },
    gridPos: { x: (i % 3) * 8, y: Math.floor(i / 3) * 7, w: 8, h: 7 },
    fieldConfig: { defaults: { unit, min: unit === 's' ? undefined : 0 }, overrides: [] },
    options: {
      legend: { showLegend: true, displayMode: 'list', placement: 'bottom', calcs: [] },
      tooltip: { mode: 'multi', sort: 'none' },
    },
    targets: [{ refId: 'A', datasource, expr, legendFormat }],
  }));
  const variable = { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' };
  const model = {
    ...{ uid: 'tradewind', title: 'Tradewind', schemaVersion: 39, editable: true, refresh: '30s' },
    ...{ time: { from: 'now-6h', to: 'now' }, templating: { list: [variable] }, annotations: { list: [] }, panels },
  };
  return `${JSON.stringify(model, null, 1)}\n`;
}
