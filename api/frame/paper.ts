import {
  changeMarketMessage,
  paperStateMessage,
  type PaperMarket,
  type PaperState,
} from '#core/installation/paper-market.ts';

/** The paper exchange of the supervisor that started the api. */
export interface Paper {
  /** Null without such an exchange, and until the supervisor has named its market. */
  state(): PaperState | null;
  /** Requests another market. The supervisor reports the outcome in the state. */
  change(market: PaperMarket): void;
}

export const NO_PAPER: Paper = { state: () => null, change: () => undefined };

interface SupervisedPaper extends Paper {
  /** Takes a message of the supervisor. */
  receive(message: unknown): void;
}

/** `send` writes a message to the supervisor. */
export function supervisedPaper(send: (message: Readonly<Record<string, unknown>>) => void): SupervisedPaper {
  let state: PaperState | null = null;
  return {
    state: () => state,
    change(market) {
      // The reason why an earlier switch failed must not look like the outcome of this one.
      state = state && { ...state, problem: null };
      send(changeMarketMessage.parse({ changeMarket: market }));
    },
    receive(message) {
      state = paperStateMessage.safeParse(message).data?.paper ?? state;
    },
  };
}
