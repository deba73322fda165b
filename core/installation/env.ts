import { z } from 'zod';

/** An invalid environment: one sentence per problem. */
export class EnvironmentError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'EnvironmentError';
    this.problems = problems;
  }
}

/** An entry of the list of origins for an error message, without credentials. */
const shownOrigin = (text: string): string => JSON.stringify(text.replace(/^.*@/s, '***@'));

const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

/** A URL with a password. An unescaped / ? # or % would end the password and turn the rest into a host or a path. */
const storeUrl = (...protocols: string[]) =>
  url(...protocols).refine((text) => !URL.canParse(text) || holdsWholePassword(new URL(text)), {
    error: 'contains an @ or % outside an address: write / ? # @ % of the password as %2F %3F %23 %40 %25',
  });

function holdsWholePassword({ pathname, search, hash, password }: URL): boolean {
  try {
    decodeURIComponent(password);
    return !`${pathname}${search}${hash}`.includes('@');
  } catch {
    return false;
  }
}

const port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, { error: 'must be a port from 0 to 65535' })
  .transform(Number);

const ORIGIN_RULE = 'list exact origins such as https://trade.example.org, separated by commas';
const ORIGIN = /^https?:\/\/[^/?#@\\\s]+$/i;

/** Exact origins only: a path, a wildcard or credentials would never equal a browser's Origin. */
function parseOrigins(text: string, context: z.RefinementCtx): string[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) context.addIssue({ code: 'custom', message: `contains no origin: ${ORIGIN_RULE}` });
  for (const entry of entries) {
    const problem = originProblem(entry);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  }
  return entries.flatMap((entry) => (URL.canParse(entry) ? [new URL(entry).origin] : []));
}

function originProblem(entry: string): string | undefined {
  if (entry.includes('*')) {
    return `contains ${shownOrigin(entry)}, but a wildcard cannot be used with sign-in cookies: ${ORIGIN_RULE}`;
  }
  if (!URL.canParse(entry)) return `contains ${shownOrigin(entry)}, which is not an origin: ${ORIGIN_RULE}`;
  if (ORIGIN.test(entry)) return undefined;
  return `contains ${shownOrigin(entry)}, which is not exactly scheme://host:port: ${ORIGIN_RULE}`;
}

const shape = {
  DATABASE_URL: storeUrl('postgres:', 'postgresql:'),
  CACHE_URL: storeUrl('redis:', 'rediss:', 'valkey:').optional(),
  WEB_ORIGIN: z.string().transform(parseOrigins).optional(),
  LIVE_DEMO: z
    .string()
    .optional()
    .transform((text) => text === '1' || text === 'true'),
  GIT_SHA: z.string().optional(),
  /** Whether notifiers and the AI provider may be on this machine or in its networks. */
  OUTGOING_PRIVATE: z.enum(['allow', 'refuse'], { error: 'must be allow or refuse' }).default('refuse'),
  PORT: port.default(8080),
  HOST: z.string().default('127.0.0.1'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent',
    })
    .default('info'),
  /** Folder of the built web app. Without it the api serves no pages. */
  WEB_DIR: z.string().optional(),
  /** Folder of the candles for backtests, with one folder per venue. */
  CANDLE_DIR: z.string().default('.tradewind/candles'),
  /** Folder of the operator's strategy files. */
  STRATEGY_DIR: z.string().default('.tradewind/strategies'),
  /** Port of the Prometheus metrics of this process. Without it no metrics are served. */
  METRICS_PORT: port.optional(),
  /** Address of an OpenTelemetry collector, without /v1/traces. Without it no traces are sent. */
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:').optional(),
  /** Name of the service in traces. */
  OTEL_SERVICE_NAME: z.string().optional(),
  /** Folder of scheduled backups. Without it no backups are written. */
  BACKUP_DIR: z.string().optional(),
  /** Name of this worker. A restarted worker of the same slot takes over its leases at once. */
  WORKER_SLOT: z.string().optional(),
  /** Name of the IP address of this process at the exchange. Processes with the same name share the rate limits. */
  EGRESS: z.string().default('default'),
  PAPER_URL: url('http:', 'https:').optional(),
  /** Key pair of the account "Paper" of a new installation. */
  PAPER_API_KEY: z.string().optional(),
  PAPER_API_SECRET: z.string().optional(),
  LIVE_REST_URL: url('http:', 'https:').optional(),
  LIVE_STREAM_URL: url('ws:', 'wss:').optional(),
  LIVE_WS_API_URL: url('ws:', 'wss:').optional(),
  TESTNET_REST_URL: url('http:', 'https:').optional(),
  TESTNET_STREAM_URL: url('ws:', 'wss:').optional(),
  TESTNET_WS_API_URL: url('ws:', 'wss:').optional(),
  DEMO_REST_URL: url('http:', 'https:').optional(),
  DEMO_STREAM_URL: url('ws:', 'wss:').optional(),
  DEMO_WS_API_URL: url('ws:', 'wss:').optional(),
} as const;

/** Only values of these variables appear in messages. Any other value may contain a password. */
const SHOWN: readonly string[] = ['PORT', 'METRICS_PORT'];
export const SETTINGS: readonly string[] = Object.keys(shape);

const environment = z.object(shape);
export type Environment = z.infer<typeof environment>;

/**
 * Parses the process environment once, at start. Empty values count as absent.
 * Throws EnvironmentError with one sentence per problem.
 */
export function parseEnvironment(raw: Readonly<Record<string, string | undefined>>): Environment {
  const present = Object.fromEntries(
    Object.entries(raw).filter(([name, value]) => name in shape && value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new EnvironmentError(
    parsed.error.issues.map(({ path, message }) => {
      const name = String(path[0]);
      if (!(name in present)) return `${name} is missing: set it, or use npm start, which sets it automatically.`;
      const value = SHOWN.includes(name) ? `is ${JSON.stringify(present[name])}, but ` : '';
      return `${name} ${value}${message}.`;
    }),
  );
}
