import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { ControlTargets } from './control-actions.ts';
import type { MarketStreams } from '#paper/streams/market-streams.ts';

export interface MetricsInput extends ControlTargets {
  readonly streams: MarketStreams;
}

/** Metrics of the process, shared by all of its exchanges. Default metrics can be registered only once. */
const processRegistry = new Registry();

/** Metrics of the exchange and its process, in the text format of Prometheus. Counts start here. */
export function openMetrics(input: MetricsInput): Registry {
  if (processRegistry.getSingleMetric('process_cpu_seconds_total') === undefined) {
    collectDefaultMetrics({ register: processRegistry });
  }
  const registry = new Registry();
  countRequests(input, registry);
  measureMarket(input, registry);
  return Registry.merge([processRegistry, registry]);
}

function countRequests({ context: { log, table } }: MetricsInput, registry: Registry): void {
  const registers = [registry];
  const requests = new Counter({
    name: 'paper_requests_total',
    help: 'Answered requests; the WebSocket API has the method WS.',
    labelNames: ['method', 'path', 'status'],
    registers,
  });
  const weight = new Counter({
    name: 'paper_request_weight_total',
    help: 'Request weight of the answered requests.',
    registers,
  });
  log.onAdd(({ method, path, status, weight: cost }) => {
    const route = method === 'WS' ? table.byWsMethod(path) : table.byPath(method, path);
    // Unknown paths must not create label values.
    requests.inc({
      method: route === undefined ? 'any' : method,
      path: route === undefined ? 'unknown' : path,
      status,
    });
    weight.inc(cost);
  });
}

function measureMarket({ venue, streams, sockets }: MetricsInput, registry: Registry): void {
  const { orders } = venue.engine;
  const { markets, clock } = venue;
  const gauges: Readonly<Record<string, readonly [help: string, read: () => number]>> = {
    paper_open_orders: ['Open orders.', () => orders.open.size],
    paper_orders: ['Orders, open and closed.', () => orders.byId.size],
    paper_order_executions: ['Order executions: placements, fills, cancels, expiries.', () => orders.lastExecutionId],
    paper_coins: ['Listed coins.', () => markets.size],
    paper_live_coins: ['Coins whose every trade is played.', () => venue.live.size],
    paper_trades: ['Trades printed.', () => markets.values().reduce((sum, { lastTradeId }) => sum + lastTradeId, 0)],
    paper_streams: ['Market streams with a subscriber.', () => streams.clients.size],
    paper_api_connections: ['Connections of the WebSocket API.', () => sockets.count('api')],
    paper_stream_connections: ['Connections of market streams.', () => sockets.count('streams')],
    paper_market_time_seconds: ['Market time.', () => clock.nowMs() / 1000],
    paper_market_lag_seconds: [
      'Market time that has not been played yet.',
      () => (clock.nowMs() - venue.playedMs) / 1000,
    ],
  };
  for (const [name, [help, read]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}
