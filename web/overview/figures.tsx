import type { ReactNode } from 'react';
import { formatDecimal } from '#core/amount/decimal.ts';
import { useStaleAge } from '#web/data/live.tsx';
import { useTimes } from '#web/data/session.tsx';
import { type AccountGroup, moneyUnit } from '#web/ui/accounts.ts';
import { Figure, Gain } from '#web/ui/figures.tsx';
import { MISSING, money, percent, signed, signedPercent } from '#web/ui/numbers.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import { age, dayMark } from '#web/ui/time.ts';

const counted = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

/** The key numbers of an account group. The service computes them; old ones have their age instead of the note. */
export function Figures({ group }: { group: AccountGroup }): ReactNode {
  const ageMs = useStaleAge();
  const noted = (note: string | undefined): string | undefined => (ageMs === null ? note : `${age(ageMs)} old`);
  const unit = <span className="unit">{moneyUnit(group.tag, group.asset)}</span>;
  const { pnlToday, equity, positions } = group;
  return (
    <div className="figs">
      <Figure label="P&L today" note={noted(todayNote(group))}>
        <Gain value={pnlToday} unit={group.asset} />
      </Figure>
      <Figure label="Unrealised P&L" note={noted(unrealisedNote(group))}>
        {positions === 0 ? (
          <span className="two">none held</span>
        ) : (
          <Gain value={group.unrealised} unit={group.asset} />
        )}
      </Figure>
      <Figure label="Available" note={noted(availableNote(group))}>
        {group.free === null ? MISSING : money(formatDecimal(group.free), group.asset)} {unit}
      </Figure>
      <Figure
        label="Exposure"
        note={noted(equity === null ? undefined : `${shareOf(group.exposure, equity)} of equity`)}
      >
        {money(formatDecimal(group.exposure), group.asset)} {unit}
      </Figure>
      <Stops group={group} noted={noted} />
      <MaxDrawdown group={group} noted={noted} />
    </div>
  );
}

type Noted = (note: string | undefined) => string | undefined;

const shareOf = (part: bigint, whole: bigint): string =>
  whole > 0n ? percent(Number(part) / Number(whole), 0) : MISSING;

function todayNote({ pnlShare, realisedToday, asset }: AccountGroup): string {
  const share = pnlShare === null ? '' : `${signedPercent(pnlShare)}, `;
  return `${share}realised ${signed(realisedToday, moneyPlaces(asset))}`;
}

function unrealisedNote({ positions, unpriced }: AccountGroup): string | undefined {
  if (positions === 0) return undefined;
  return unpriced > 0 ? `${unpriced} without a price` : `${counted(positions, 'position')}, before exit fees`;
}

function availableNote({ free, equity, locked, asset }: AccountGroup): string | undefined {
  if (free === null || equity === null) return undefined;
  const orders = locked === null || locked === 0n ? '' : `, ${money(formatDecimal(locked), asset)} locked in orders`;
  return `${shareOf(free, equity)} of equity${orders}`;
}

function Stops({ group, noted }: { group: AccountGroup; noted: Noted }): ReactNode {
  const { stops, positions, asset } = group;
  const without = positions - stops.kept;
  const note = without > 0 ? `${without} without a stop` : 'against cost, after fees';
  return (
    <Figure label="If every stop is hit" note={noted(positions === 0 ? undefined : note)}>
      {stops.result === null ? (
        <span className="two">
          {positions === 0 ? 'none held' : stops.kept === 0 ? 'no stop' : 'fee not known yet'}
        </span>
      ) : (
        <Gain value={stops.result} unit={asset} />
      )}
    </Figure>
  );
}

function MaxDrawdown({ group: { drawdown }, noted }: { group: AccountGroup; noted: Noted }): ReactNode {
  const { zone } = useTimes();
  if (drawdown === null) {
    return (
      <Figure label="Max drawdown" note={noted(undefined)}>
        <span className="two">no curve yet</span>
      </Figure>
    );
  }
  const { share, since, isAtHigh } = drawdown;
  const note = `since ${dayMark(Date.parse(since), zone)}${isAtHigh ? '; now at the high' : ''}`;
  return (
    <Figure label="Max drawdown" note={noted(note)}>
      {percent(share)}
    </Figure>
  );
}
