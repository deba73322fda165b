import type { ReactNode } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import { Figure, Gain } from '#web/ui/figures.tsx';
import { MISSING, money, percent, twoDecimals } from '#web/ui/numbers.ts';

import { MEANINGS } from './meanings.ts';
import type { Performance } from './queries.ts';
import { signedMoney } from './texts.ts';

const NOT_SHOWN = <span className="two">not shown</span>;

/** The six figures of a period. Ratios of few trades are not shown. */
export function KeyFigures({ data, unit }: { data: Performance; unit: string }): ReactNode {
  const { net, trades, sharpe, maxDrawdown, holding, days, quoteAsset: asset } = data;
  const few = `${trades.trades} of at least 30 closed trades`;
  const isFew = trades.winRate === null;
  const averages = [
    trades.averageWin === null ? '' : `average win ${money(trades.averageWin, asset)}`,
    trades.averageLoss === null ? '' : `loss ${money(trades.averageLoss.replace('-', ''), asset)}`,
  ].filter(Boolean);
  const feeShare = net.feeShare === null ? undefined : `${percent(net.feeShare, 0)} of the P&L before fees`;
  const feeNote = net.unvaluedFees === 0 ? feeShare : `${net.unvaluedFees} fees without a known value`;
  return (
    <div className="figs">
      <Figure
        label="Net P&L"
        meaning={MEANINGS.pnl}
        note={`realised ${signedMoney(net.realised, asset)}, unrealised ${signedMoney(net.unrealised, asset)}`}
      >
        <Gain value={readDecimal(net.pnl) ?? null} unit={unit} />
      </Figure>
      <Figure
        label="Sharpe ratio"
        meaning={MEANINGS.sharpe}
        note={isFew ? few : `daily, per year, ${days.length} days`}
      >
        {isFew ? NOT_SHOWN : twoDecimals(sharpe)}
      </Figure>
      <Figure label="Profit factor" meaning={MEANINGS.profitFactor} note={averages.join(', ')}>
        {isFew ? NOT_SHOWN : twoDecimals(trades.profitFactor)}
      </Figure>
      <Figure label="Win rate" meaning={MEANINGS.winRate} note={`${trades.wins} of ${trades.trades} trades`}>
        {trades.winRate === null ? NOT_SHOWN : percent(trades.winRate, 0)}
      </Figure>
      <Figure
        label="Max drawdown"
        meaning={MEANINGS.drawdown}
        note={holding?.drawdown == null ? undefined : `buy and hold ${percent(holding.drawdown)}`}
      >
        {maxDrawdown === null ? MISSING : percent(maxDrawdown)}
      </Figure>
      <Figure label="Fees" meaning={MEANINGS.fees} note={feeNote}>
        {money(net.fees, asset)} <span className="unit">{unit}</span>
      </Figure>
    </div>
  );
}
