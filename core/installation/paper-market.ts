import { z } from 'zod';

/**
 * Markets that the paper exchange of `npm start` can be switched to: an invented one, two months of candles that come with
 * Tradewind, and the live prices of the exchange.
 */
const PAPER_MARKETS = ['invented', 'two-months', 'live'] as const;
export const paperMarket = z.enum(PAPER_MARKETS);
export type PaperMarket = z.output<typeof paperMarket>;

/** The market that runs; `replay` is one that the command line named. `problem`: why the last switch failed. */
export const paperState = z.object({ market: z.enum([...PAPER_MARKETS, 'replay']), problem: z.string().nullable() });
export type PaperState = z.output<typeof paperState>;

/** Sent by the supervisor to the api, once it is ready and after each switch. */
export const paperStateMessage = z.object({ paper: paperState });
/** Sent by the api to the supervisor. */
export const changeMarketMessage = z.object({ changeMarket: paperMarket });
