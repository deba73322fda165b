import { resolve } from 'node:path';
import { parseFlags } from '#cli/flags.ts';
import { readInstant } from '#cli/instant.ts';

export interface StartOptions {
  readonly dataDir: string;
  /** Undefined: PORT of the environment, or the default. */
  readonly port: number | undefined;
  readonly replay: string | undefined;
  /** `live` or the address of another exchange whose prices the paper exchange follows. */
  readonly relay: string | undefined;
  readonly from: Date | undefined;
  readonly speed: number | undefined;
  readonly seed: number | undefined;
  readonly openBrowser: boolean;
}

type ParsedStart =
  | { readonly kind: 'options'; readonly options: StartOptions }
  | { readonly kind: 'problem'; readonly sentence: string };

const kinds = {
  'data-dir': 'text',
  port: 'text',
  replay: 'text',
  relay: 'text',
  from: 'text',
  speed: 'text',
  seed: 'text',
  'no-open': 'switch',
} as const;

/** Parses the flags of `tradewind start`; paths are taken from `cwd`, the default data folder lies in `home`. */
export function parseStartOptions(argv: readonly string[], folders: { home: string; cwd: string }): ParsedStart {
  const flags = parseFlags('start', argv, kinds);
  if (flags.kind === 'problem') return flags;
  const { values } = flags;

  const port = values.get('port');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    return problem(`--port is "${port}", but must be a port from 0 to 65535.`);
  }
  const speed = values.get('speed');
  if (speed !== undefined && !(/^\d+(\.\d+)?$/.test(speed) && Number(speed) > 0)) {
    return problem(`--speed is "${speed}", but must be a number above 0, such as 600.`);
  }
  const seed = values.get('seed');
  if (seed !== undefined && !/^\d{1,9}$/.test(seed)) {
    return problem(`--seed is "${seed}", but must be a whole number from 0 to 999999999.`);
  }
  const from = values.get('from');
  const fromDate = from === undefined ? undefined : readInstant(from);
  if (from !== undefined && fromDate === undefined) {
    return problem(`--from is "${from}", but must be a date such as 2022-06-01 or 2022-06-01T12:00:00Z.`);
  }
  const replay = values.get('replay');
  if (from !== undefined && replay === undefined)
    return problem('--from sets the start of a replay: set --replay DIR too.');

  const relay = values.get('relay');
  if (relay !== undefined && relay !== 'live' && !/^https?:$/.test(URL.parse(relay)?.protocol ?? ''))
    return problem(`--relay is "${relay}", but must be live or an address such as http://127.0.0.1:18080.`);
  const conflict = ['replay', 'speed', 'seed'].find((name) => values.get(name) !== undefined);
  if (relay !== undefined && conflict !== undefined)
    return problem(`--relay follows the current prices of an exchange: leave out --${conflict}.`);

  const dataDir = values.get('data-dir');
  return {
    kind: 'options',
    options: {
      dataDir: dataDir === undefined ? resolve(folders.home, '.tradewind') : resolve(folders.cwd, dataDir),
      port: port === undefined ? undefined : Number(port),
      replay: replay === undefined ? undefined : resolve(folders.cwd, replay),
      relay,
      from: fromDate,
      speed: speed === undefined ? undefined : Number(speed),
      seed: seed === undefined ? undefined : Number(seed),
      openBrowser: !values.has('no-open'),
    },
  };
}

function problem(sentence: string): ParsedStart {
  return { kind: 'problem', sentence };
}
