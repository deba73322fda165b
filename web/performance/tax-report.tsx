import { type ReactNode, useState } from 'react';
import { dayText, startOfDay } from '#core/account/day-start.ts';
import { LOT_METHODS, type LotMethod } from '#core/position/tax-lots.ts';
import { exportTaxLots } from '#api/contract/trades.ts';
import { addressOf } from '#web/data/call.ts';
import { Choice } from '#web/ui/field.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import type { Performance } from './queries.ts';

const METHODS: Readonly<Record<LotMethod, string>> = { fifo: 'First in, first out', average: 'Average cost' };

interface TaxReportProps {
  open: boolean;
  onClose: () => void;
  data: Performance | undefined;
}

/** Sales of a calendar year with their cost, one file for each profile. */
export function TaxReport({ open, onClose, data }: TaxReportProps): ReactNode {
  const zone = data?.timezone ?? 'UTC';
  const newest = Number(dayText(Date.parse(data?.to ?? new Date().toISOString()), zone).slice(0, 4));
  const oldest = data?.firstAt == null ? newest : Number(dayText(Date.parse(data.firstAt), zone).slice(0, 4));
  const years = Array.from({ length: newest - oldest + 1 }, (_, i) => String(newest - i));
  const [year, setYear] = useState('');
  const [method, setMethod] = useState<LotMethod>('fifo');
  const shown = years.includes(year) ? year : (years[0] ?? '');
  const from = startOfDay(`${shown}-01-01`, zone).toISOString();
  const to = new Date(startOfDay(`${Number(shown) + 1}-01-01`, zone).getTime() - 1).toISOString();
  return (
    <Dialog title="Tax report" open={open} onClose={onClose}>
      <p className="two py-2">
        Each sale with the cost of what was sold, fees included. Years start at midnight in your time zone.
      </p>
      <Choice
        label="Year"
        value={shown}
        options={years.map((one) => ({ value: one, words: one }))}
        onChange={setYear}
      />
      <Choice
        label="Method"
        value={method}
        options={LOT_METHODS.map((one) => ({ value: one, words: METHODS[one] }))}
        onChange={(picked) => setMethod(LOT_METHODS.find((one) => one === picked) ?? 'fifo')}
      />
      <ul className="files">
        {data?.profiles.map(({ id, name }) => (
          <li key={id}>
            <a href={addressOf(exportTaxLots.path, { id }, { method, from, to })} download>
              {name}, {shown} (CSV)
            </a>
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="btn" onClick={onClose} data-first>
          Close
        </button>
      </div>
    </Dialog>
  );
}
