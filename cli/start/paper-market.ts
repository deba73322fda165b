import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type PaperMarket, type PaperState, paperMarket } from '#core/installation/paper-market.ts';
import { readJson } from '#core/json.ts';
import type { StartOptions } from './options.ts';

/** The market of the paper exchange: one to switch to, or a replay that the command line names. */
export type ChosenMarket = PaperState['market'];

/** Two months of hourly candles pass in three minutes. */
const TWO_MONTHS = { folder: ['paper', 'history'], from: '2026-07-03T00:00:00.000Z', speed: 28_800 };

const stored = z.object({ market: paperMarket });
const pathIn = (dataDir: string): string => join(dataDir, 'paper-market.json');

/** The market that the command line names, else the one of the last switch, else the invented one. */
export function chooseMarket({ dataDir, replay, relay }: StartOptions): ChosenMarket {
  if (replay !== undefined) return 'replay';
  if (relay !== undefined) return 'live';
  const path = pathIn(dataDir);
  const known = existsSync(path) ? stored.safeParse(readJson(readFileSync(path, 'utf8'))).data : undefined;
  return known?.market ?? 'invented';
}

/** Keeps a switch for the next start. */
export const keepMarket = (dataDir: string, market: PaperMarket): void =>
  writeFileSync(pathIn(dataDir), `${JSON.stringify({ market })}\n`);

/** Removes the candles of another market: they would continue in those of this one. */
export const forgetCandles = (candleDir: string): void =>
  rmSync(join(candleDir, 'paper'), { recursive: true, force: true });

interface MarketPlace {
  readonly root: string;
  readonly options: StartOptions;
  /** LIVE_REST_URL of the environment. */
  readonly liveUrl: string | undefined;
}

/** Flags of the paper exchange for its market. */
export function marketFlags(market: ChosenMarket, { root, options, liveUrl }: MarketPlace): [string, string][] {
  const { replay, relay, from, speed, seed } = options;
  const pace: [string, string][] = speed === undefined ? [] : [['--speed', String(speed)]];
  switch (market) {
    case 'live': {
      const address = relay === undefined || relay === 'live' ? (liveUrl ?? 'live') : relay;
      return [['--source', `relay:${address}`]];
    }
    case 'two-months':
      return [
        ['--source', `replay:${join(root, ...TWO_MONTHS.folder)}`],
        ['--from', TWO_MONTHS.from],
        ['--speed', String(TWO_MONTHS.speed)],
      ];
    case 'replay': {
      const start: [string, string][] = from === undefined ? [] : [['--from', from.toISOString()]];
      return [['--source', `replay:${replay ?? ''}`], ...start, ...pace];
    }
    case 'invented': {
      const given: [string, string][] = seed === undefined ? [] : [['--seed', String(seed)]];
      return [['--source', 'synthetic'], ...pace, ...given];
    }
  }
}

/** The line of the terminal about the market. */
export function marketText(market: ChosenMarket, { replay }: StartOptions): string {
  if (market === 'replay') return `replays ${replay ?? ''}`;
  if (market === 'two-months') return 'replays two months of synthetic candles in three minutes';
  return market === 'live' ? 'follows live prices, with paper money' : 'a simulated market';
}
