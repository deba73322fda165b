import type { ReactNode } from 'react';
import { listStrategies } from '#api/contract/profiles.ts';
import { useRead } from '#web/data/read.ts';
import { exitText } from '#web/ui/research.ts';
import { Breakdown } from './breakdown.tsx';
import type { Performance } from './queries.ts';

/** The net P&L by coin, exit reason, profile and strategy. */
export function Breakdowns({ data }: { data: Performance }): ReactNode {
  const { coins, exits, byProfile, strategies, net, trades, quoteAsset: asset } = data;
  const { data: known } = useRead(listStrategies, {});
  const titleOf = (name: string | null): string =>
    name === null ? 'Deleted profiles' : (known?.strategies.find((one) => one.name === name)?.title ?? name);
  const { trades: closed, winRate, profitFactor } = trades;
  const total = { pnl: net.pnl, fees: net.fees, trades: closed, winRate, profitFactor };
  return (
    <>
      <Breakdown
        title="By coin"
        of="Coin"
        {...{ total, asset }}
        rows={coins.map((row) => ({ ...row, key: row.symbol, name: row.baseAsset ?? row.symbol }))}
      />
      <Breakdown
        title="By exit reason"
        of="Exit reason"
        note="what the trades made in this period"
        {...{ total, asset }}
        rows={exits.map((row) => ({
          ...row,
          key: row.reason ?? '',
          name: row.reason === null ? 'Not closed' : exitText(row.reason),
          note: row.reason === null ? 'open trades, and rests below the smallest lot' : undefined,
        }))}
      />
      <div className="c6">
        <Breakdown
          title="By profile"
          of="Profile"
          {...{ total, asset }}
          rows={byProfile.map((row) => ({
            ...row,
            key: row.id ?? '',
            name: row.name ?? 'Deleted profiles',
            note: row.strategyName === null ? undefined : titleOf(row.strategyName),
          }))}
        />
        <Breakdown
          title="By strategy"
          of="Strategy"
          note="that a profile has now"
          {...{ total, asset }}
          rows={strategies.map((row) => ({ ...row, key: row.strategyName ?? '', name: titleOf(row.strategyName) }))}
        />
      </div>
    </>
  );
}
