import { type ReactNode, useState } from 'react';
import type { Coin, Profile } from '#web/data/answers.ts';
import type { SweepResult } from '#web/data/research.ts';
import { percent, twoDecimals } from '#web/ui/numbers.ts';

import type { Labels } from '#web/config/setting-labels.ts';
import { Result } from '#web/ui/figures.tsx';
import { OpenInSettings } from './open-in-settings.tsx';
import { Section } from '#web/ui/section.tsx';

interface RankingProps {
  profile: Profile;
  coin: Coin | undefined;
  result: SweepResult;
  labels: Labels;
}

const FIRST = 10;
const MORE = 100;

/** The settings, best first, each with a link to the settings form. */
export function SweepRanking({ profile, coin, result, labels: { labelOf, wordsOf } }: RankingProps): ReactNode {
  const [all, setAll] = useState(false);
  const { knobs, rows, luck } = result;
  const note = luck.kind === 'few-trades' ? `below ${luck.needed} trades the order is chance` : 'best first, in sample';
  const shown = rows.slice(0, all ? MORE : FIRST);
  return (
    <Section title="Ranking" note={note}>
      <table className="cards">
        <thead>
          <tr>
            {['#', ...knobs.map(labelOf), 'Return', 'Max drawdown'].map((head) => (
              <th key={head} className="num">
                {head}
              </th>
            ))}
            <th className="num wide">Sharpe</th>
            <th className="num wide">Trades</th>
            <th>
              <span className="vh">Open</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row, place) => (
            <tr key={row.set}>
              <td className="num full">
                <span className="phone two">#{place + 1}</span>
                <span className="wide">{place + 1}</span>
              </td>
              {knobs.map((path, at) => (
                <td key={path} className="num" data-l={labelOf(path)}>
                  {wordsOf(path, row.values[at])}
                </td>
              ))}
              <td className="num" data-l="Return">
                <Result value={row.totalReturn} />
              </td>
              <td className="num" data-l="Max drawdown">
                {percent(-Math.abs(row.drawdown))}
              </td>
              <td className="num wide">{twoDecimals(row.sharpe)}</td>
              <td className="num wide">{row.closedCycles}</td>
              <td className="num full">
                <OpenInSettings
                  small
                  profile={profile}
                  coin={coin}
                  label={`Open in settings: #${place + 1}`}
                  changes={knobs.map((path, at) => ({ path, value: row.values[at] }))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="actions">
        {rows.length > FIRST ? (
          <button type="button" className="btn small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? `Show the first ${FIRST}` : `Show ${Math.min(MORE, rows.length)}`}
          </button>
        ) : null}
        <span className="note">The form opens with these values. Nothing is saved until you save it.</span>
      </div>
    </Section>
  );
}
