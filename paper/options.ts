import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { join, resolve } from 'node:path';
import { type Account, parseAccounts, readAccountsFile } from '#paper/exchange/accounts.ts';
import { BadInputError } from './bad-input.ts';
import { PROFILES, type Profile } from '#paper/rest/profiles.ts';
import type { RelayAddress } from '#paper/relay/relay.ts';

type SourceOption =
  | { readonly kind: 'synthetic' | 'script' }
  | { readonly kind: 'replay'; readonly folder: string }
  | ({ readonly kind: 'relay' } & RelayAddress);
type ClockOption = { readonly kind: 'real' } | { readonly kind: 'virtual'; readonly startMs: number };

/** Options of a paper exchange. Port 0 takes any free one. */
export interface PaperOptions {
  /** The address of `port`; absent: loopback. The control port is always on loopback. */
  readonly host?: string;
  readonly port: number;
  readonly controlPort: number;
  /** The file for the token of the control port; absent: the token is only in memory. */
  readonly controlTokenFile?: string;
  readonly accounts: readonly Account[];
  readonly source: SourceOption;
  /** The start of the market; absent: now (synthetic) or after some history (replay). */
  readonly fromMs?: number;
  /** Speed of market time as a multiple of the wall clock. */
  readonly speed: number;
  /** Absent: the stored market's seed, else 1. */
  readonly seed?: number;
  readonly clock: ClockOption;
  /** Absent: live. */
  readonly profile?: Profile;
  /** Certificate chain and private key as PEM; absent: no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Absent: nothing is stored. */
  readonly dataDir?: string;
}

const USAGE =
  'Usage: paper --accounts FILE [--host ADDRESS] [--port N] [--control-port N] [--control-token-file FILE] [--source synthetic|script|replay:DIR|relay:live|relay:testnet|relay:URL] [--from ISO] [--speed N] [--seed N] [--clock real|virtual:ISO] [--profile live|testnet|demo] [--tls-cert FILE --tls-key FILE] [--data-dir DIR]';
const MAX_SPEED = 100_000;

/**
 * Parses the command line. Without --accounts there is one account with the key pair PAPER_API_KEY and PAPER_API_SECRET of
 * `environment`. Throws BadInputError with one sentence.
 */
export function parseOptions(argv: readonly string[], environment: NodeJS.ProcessEnv = {}): PaperOptions {
  const values = parseFlags(argv);
  const fromMs = values.from === undefined ? undefined : parseInstant('--from', values.from);
  const seed =
    values.seed === undefined
      ? undefined
      : parseNumber('--seed', values.seed, { min: 0, max: 2 ** 31 - 1, whole: true });
  const source = parseSource(values.source ?? 'synthetic');
  const speed = parseNumber('--speed', values.speed ?? '1', { min: 0.001, max: MAX_SPEED, whole: false });
  const clock = parseClock(values.clock ?? 'real');
  if (source.kind === 'relay' && (speed !== 1 || clock.kind !== 'real' || fromMs !== undefined))
    throw new BadInputError('--source relay follows the current market: use --clock real, --speed 1 and no --from.');
  return {
    ...{ source, speed, clock },
    port: parsePort('--port', values.port ?? '18080'),
    controlPort: parsePort('--control-port', values['control-port'] ?? '18081'),
    accounts: values.accounts === undefined ? accountsOf(environment) : readAccountsFile(values.accounts),
    ...(values.host === undefined ? {} : { host: parseHost(values.host) }),
    profile: parseProfile(values.profile ?? 'live'),
    ...parseTls(values['tls-cert'], values['tls-key']),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(seed === undefined ? {} : { seed }),
    ...placesOf(values),
  };
}

function accountsOf({ PAPER_API_KEY: apiKey, PAPER_API_SECRET: secret }: NodeJS.ProcessEnv): Account[] {
  if (!apiKey || !secret)
    throw new BadInputError(`--accounts is missing, and so are PAPER_API_KEY and PAPER_API_SECRET. ${USAGE}`);
  return parseAccounts(
    [{ name: 'operator', apiKey, secret, balances: { USDT: '10000' } }],
    'The account of PAPER_API_KEY and PAPER_API_SECRET',
  );
}

function parseHost(raw: string): string {
  if (isIP(raw) !== 0) return raw;
  throw new BadInputError(`--host is "${raw}", but must be an IP address such as 127.0.0.1, or 0.0.0.0 for all.`);
}

/** The token of the control port is in the data folder unless another file is given. */
function placesOf(values: ReturnType<typeof parseFlags>): Pick<PaperOptions, 'dataDir' | 'controlTokenFile'> {
  const { 'data-dir': folder, 'control-token-file': file } = values;
  const dataDir = folder === undefined ? undefined : resolve(folder);
  const controlTokenFile = file === undefined ? dataDir && join(dataDir, 'control-token') : resolve(file);
  return { ...(dataDir && { dataDir }), ...(controlTokenFile && { controlTokenFile }) };
}

const text = { type: 'string' } as const;
const FLAGS = {
  host: text,
  port: text,
  'control-port': text,
  'control-token-file': text,
  accounts: text,
  source: text,
  from: text,
  speed: text,
  seed: text,
  clock: text,
  profile: text,
  'tls-cert': text,
  'tls-key': text,
  'data-dir': text,
} as const;

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: FLAGS, strict: true }).values;
  } catch (error) {
    throw new BadInputError(`${error instanceof Error ? error.message : String(error)}. ${USAGE}`);
  }
}

function parseNumber(flag: string, raw: string, range: { min: number; max: number; whole: boolean }): number {
  const value = raw.trim() === '' ? Number.NaN : Number(raw);
  const fits = value >= range.min && value <= range.max && (!range.whole || Number.isInteger(value));
  if (!fits)
    throw new BadInputError(
      `${flag} is "${raw}", but must be a ${range.whole ? 'whole ' : ''}number from ${range.min} to ${range.max}.`,
    );
  return value;
}

const parsePort = (flag: string, raw: string): number => parseNumber(flag, raw, { min: 0, max: 65_535, whole: true });

function parseInstant(flag: string, raw: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(raw) ? Date.parse(raw) : Number.NaN;
  if (Number.isNaN(ms))
    throw new BadInputError(`${flag} is "${raw}", but must be a date such as 2022-06-01 or 2022-06-01T12:00:00Z.`);
  return ms;
}

function parseSource(raw: string): SourceOption {
  if (raw === 'synthetic' || raw === 'script') return { kind: raw };
  const [, kind, where = ''] = /^(replay|relay):(.+)$/.exec(raw) ?? [];
  if (kind === 'replay') return { kind, folder: resolve(where) };
  const relayed = kind === undefined ? undefined : RELAYS[where];
  if (relayed !== undefined) return { kind: 'relay', ...relayed };
  const url = kind === 'relay' ? URL.parse(where) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BadInputError(
      `--source is "${raw}", but must be synthetic, script, replay:DIR, relay:live, relay:testnet or relay:URL.`,
    );
  return { kind: 'relay', restUrl: url.origin, streamUrl: url.origin.replace('http', 'ws') };
}

/** Hosts that serve public market data. */
const RELAYS: Readonly<Record<string, RelayAddress>> = {
  live: { restUrl: 'https://data-api.binance.vision', streamUrl: 'wss://data-stream.binance.vision' },
  testnet: { restUrl: 'https://testnet.binance.vision', streamUrl: 'wss://stream.testnet.binance.vision' },
};

function parseTls(cert: string | undefined, key: string | undefined): Pick<PaperOptions, 'tls'> {
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined)
    throw new BadInputError('--tls-cert and --tls-key must be given together.');
  return { tls: { cert: readPem('--tls-cert', cert), key: readPem('--tls-key', key) } };
}

function readPem(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new BadInputError(
      `${flag} ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function parseProfile(raw: string): Profile {
  const profile = PROFILES.find((profile) => profile === raw);
  if (profile === undefined) throw new BadInputError(`--profile is "${raw}", but must be ${PROFILES.join(' or ')}.`);
  return profile;
}

function parseClock(raw: string): ClockOption {
  if (raw === 'real') return { kind: 'real' };
  if (!raw.startsWith('virtual:'))
    throw new BadInputError(
      `--clock is "${raw}", but must be real or virtual:ISO, such as virtual:2022-06-01T00:00:00Z.`,
    );
  return { kind: 'virtual', startMs: parseInstant('--clock', raw.slice('virtual:'.length)) };
}
