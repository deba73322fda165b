import { once } from 'node:events';
import { createServer } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';

/** Answers of the api, by route template: a path with ids would create a series for every id. */
export const httpRequests = new Histogram({
  name: 'tradewind_http_request_seconds',
  help: 'Time to answer a request, by method, route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
});
export const ticks = new Counter({
  name: 'tradewind_ticks_total',
  help: 'Decisions, by what was decided, why, and whether it was approved',
  labelNames: ['decision', 'reason', 'approval'],
});
export const identityChecks = new Counter({
  name: 'tradewind_identity_checks_total',
  help: 'Comparisons of ledger and wallet, by result: holds, booked (a difference was found and booked) or undecided',
  labelNames: ['result'],
});
export const logRows = new Counter({
  name: 'tradewind_profile_log_rows_total',
  help: 'Rows of profile logs, by level and event',
  labelNames: ['level', 'event'],
});
const build = new Gauge({
  name: 'tradewind_build_info',
  help: 'Always 1; says which process and build this is',
  labelNames: ['process', 'sha'],
});

/** A value with its labels. */
export type Reading = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Registers a gauge that is read at every scrape until it is disposed; a later one of the same name replaces it. */
export function measure(
  { name, help, labelNames }: { readonly name: string; readonly help: string; readonly labelNames: string[] },
  read: () => Iterable<Reading> | Promise<Iterable<Reading>>,
): Disposable {
  register.removeSingleMetric(name);
  const gauge = new Gauge({
    ...{ name, help, labelNames },
    async collect() {
      // An unreachable source, such as the database, does not block the others.
      const readings = await (async () => read())().catch(() => []);
      this.reset();
      for (const [labels, value] of readings) this.set(labels, value);
    },
  });
  return {
    [Symbol.dispose]() {
      if (register.getSingleMetric(name) === gauge) register.removeSingleMetric(name);
    },
  };
}

/** Serves the metrics of this process at /metrics for Prometheus, on a separate address that only Prometheus should reach. */
export async function serveMetrics(
  what: { readonly process: string; readonly sha: string },
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly port: number } & AsyncDisposable> {
  if (register.getSingleMetric('process_cpu_seconds_total') === undefined) collectDefaultMetrics();
  build.set(what, 1);
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end('Metrics are at /metrics.\n');
      return;
    }
    register.metrics().then(
      (text) => response.writeHead(200, { 'content-type': register.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
