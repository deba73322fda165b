import type { PaperMarket } from '#core/installation/paper-market.ts';
import { forgetPaperEquity, readPaperUse } from '#storage/operator/paper-use.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import { changePaperMarket, readPaperMarket } from '#api/contract/paper-market.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import type { Routes } from '#api/handle.ts';

/** Orders and positions belong to the prices and times of their market. */
async function requireUnused(transaction: Transaction, market: PaperMarket): Promise<void> {
  const { orders, open, positions } = await readPaperUse(transaction);
  if (market === 'two-months' && orders > 0)
    throw new ApiProblem(
      'conflict',
      'A paper account has traded already, and the two months lie before its trades. Start Tradewind with another --data-dir to see them.',
    );
  if (open + positions > 0)
    throw new ApiProblem(
      'conflict',
      `Paper accounts have ${positions} positions and ${open} open orders at the prices of this market. Sell and cancel them first.`,
    );
}

export function mountPaperMarket({ context, handle }: Routes): void {
  const { paper } = context;
  handle(readPaperMarket, async () => ({ paper: paper.state() }));

  handle(changePaperMarket, async ({ commit, body: { market } }) => {
    const before = paper.state();
    if (before === null)
      throw new ApiProblem(
        'conflict',
        'This installation does not run its own paper exchange: npm start runs one, when PAPER_URL is not set.',
      );
    const changed = await commit(async ({ transaction }) => {
      await requireUnused(transaction, market);
      await forgetPaperEquity(transaction);
      return { answer: { market }, subject: 'paper', before: before.market, after: market };
    });
    paper.change(market);
    return changed;
  });
}
