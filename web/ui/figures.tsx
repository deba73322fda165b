import type { ReactNode } from 'react';
import type { Decimal } from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import { MISSING, signed, signedPercent } from './numbers.ts';
import { Icon } from './icon.tsx';

/** A P&L amount: triangle, sign and colour say the same. `bare` omits the asset. */
export function Gain({ value, unit, bare }: { value: Decimal | null; unit?: string; bare?: boolean }): ReactNode {
  if (value === null) return <span className="two">{MISSING}</span>;
  const text = signed(value, moneyPlaces(unit));
  const none = !/[1-9]/.test(text);
  const tail = unit === undefined || bare === true ? null : <span className="unit"> {unit}</span>;
  if (none)
    return (
      <span className="nb">
        {text}
        {tail}
      </span>
    );
  const up = value > 0n;
  return (
    <span className={`${up ? 'gain' : 'loss'} nb`}>
      <Icon name={up ? 'up' : 'dn'} /> {text}
      {tail}
    </span>
  );
}

/** A return such as 0.084: triangle, sign and colour say the same. */
export function Result({ value, places = 1 }: { value: number; places?: number }): ReactNode {
  const text = signedPercent(value, places);
  if (!/[1-9]/.test(text)) return text;
  return (
    <span className={`${value > 0 ? 'gain' : 'loss'} nb`}>
      <Icon name={value > 0 ? 'up' : 'dn'} /> {text}
    </span>
  );
}

interface FigureProps {
  label: string;
  note?: ReactNode;
  /** The definition, on hover. */
  meaning?: string;
  children: ReactNode;
}

/** One key number of a page. */
export function Figure({ label, note, meaning, children }: FigureProps): ReactNode {
  return (
    <div title={meaning}>
      <span className="note">{label}</span>
      <span className="fig">{children}</span>
      {note === undefined ? null : <span className="note">{note}</span>}
    </div>
  );
}

/** Which kind of money an account holds; only live is solid. */
export function AccountTag({ tag }: { tag: string }): ReactNode {
  return <span className={`tag ${tag === 'LIVE' ? 'solid' : 'hatch'}`}>{tag}</span>;
}
