import type { ReactNode } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import { Gain } from '#web/ui/figures.tsx';
import { MISSING, money, percent, twoDecimals } from '#web/ui/numbers.ts';

import { Section } from '#web/ui/section.tsx';

interface Row {
  readonly key: string;
  readonly name: ReactNode;
  readonly note?: string | undefined;
  readonly pnl: string;
  readonly trades: number;
  readonly winRate: number | null;
  readonly profitFactor: number | null;
  /** Absent where fees do not divide. */
  readonly fees?: string;
}

interface BreakdownProps {
  title: string;
  /** Head of the first column. */
  of: string;
  note?: string;
  rows: readonly Row[];
  /** The whole period: P&L, trades and fees are the sums of the rows. */
  total: Omit<Row, 'key' | 'name'>;
  asset: string | null;
}

/** One way to divide the net P&L, with its sum. */
export function Breakdown({ title, of, note, rows, total, asset }: BreakdownProps): ReactNode {
  const most = Math.max(...rows.map(({ pnl }) => Math.abs(Number(pnl))), 1e-9);
  const fees = rows.some((row) => row.fees !== undefined);
  const few = rows.some(({ winRate }) => winRate === null);
  return (
    <Section title={title} note={note} span={6}>
      <div className="tw" tabIndex={0} role="group" aria-label={title}>
        <table className="cards four">
          <thead>
            <tr>
              <th>{of}</th>
              <th className="num">Net P&amp;L, {asset}</th>
              <th className="wide">
                <span className="vh">Bar</span>
              </th>
              <th className="num">Trades</th>
              <th className="num">Win rate</th>
              <th className="num">Profit factor</th>
              {fees ? <th className="num">Fees</th> : null}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <BreakdownRow key={row.key} {...{ row, asset, fees }} share={Number(row.pnl) / most} />
            ))}
          </tbody>
          <tfoot>
            <BreakdownRow row={{ ...total, key: '', name: 'Total' }} {...{ asset, fees }} />
          </tfoot>
        </table>
      </div>
      {few ? <p className="note p-2">Below 30 closed trades win rate and profit factor are not shown.</p> : null}
    </Section>
  );
}

interface BreakdownRowProps {
  row: Row;
  asset: string | null;
  /** Whether the table has fees. */
  fees: boolean;
  /** Of the longest bar; absent without a bar. */
  share?: number;
}

function BreakdownRow({ row, asset, fees, share }: BreakdownRowProps): ReactNode {
  return (
    <tr>
      <th scope="row">
        {row.name}
        {row.note === undefined ? null : <span className="note">{row.note}</span>}
      </th>
      <td className="num rt">
        <Gain value={readDecimal(row.pnl) ?? null} unit={asset ?? ''} bare />
      </td>
      <td className="wide" aria-label="Bar">
        {share === undefined ? null : <Bar share={share} />}
      </td>
      <td className="num" data-l="Trades">
        {row.trades}
      </td>
      <td className="num" data-l="Win rate">
        {row.winRate === null ? MISSING : percent(row.winRate, 0)}
      </td>
      <td className="num" data-l="Profit factor">
        {twoDecimals(row.profitFactor)}
      </td>
      {fees ? (
        <td className="num" data-l="Fees">
          {row.fees === undefined ? MISSING : money(row.fees, asset)}
        </td>
      ) : null}
    </tr>
  );
}

/** A bar from the middle: to the right for a profit, hatched to the left for a loss. */
function Bar({ share }: { share: number }): ReactNode {
  const width = `${Math.abs(share) * 48}%`;
  return (
    <span className="hb" aria-hidden="true">
      {share === 0 ? null : (
        <b className={share < 0 ? 'neg' : ''} style={{ [share < 0 ? 'right' : 'left']: '50%', width }} />
      )}
    </span>
  );
}
