import { type ReactNode, useState } from 'react';
import type { Coin, Profile } from '#web/data/queries.ts';
import type { SweepResult } from '#web/data/research.ts';
import { percent } from '#web/ui/numbers.ts';
import { plain } from '#web/ui/research.ts';
import { edgeWords } from './sweep-words.ts';
import { Result } from '#web/ui/figures.tsx';
import { PutInForm } from './put-in-form.tsx';
import { Section } from '#web/ui/section.tsx';

interface RankingProps {
  profile: Profile;
  coin: Coin | undefined;
  result: SweepResult;
  labelOf: (path: string) => string;
}

const FIRST = 10;
const MORE = 100;

/** The sets, best first, each with a way into the settings form. */
export function SweepRanking({ profile, coin, result, labelOf }: RankingProps): ReactNode {
  const [all, setAll] = useState(false);
  const { knobs, rows } = result;
  const shown = rows.slice(0, all ? MORE : FIRST);
  return (
    <Section title="Ranking" note="best first, on the days that chose them">
      <table className="cards">
        <thead>
          <tr>
            {['Place', ...knobs.map(labelOf), 'Made', 'Deepest fall'].map((head) => (
              <th key={head} className="num">
                {head}
              </th>
            ))}
            <th className="num wide">Sharpe</th>
            <th className="num wide">Round trips</th>
            <th>
              <span className="vh">Use it</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row, place) => (
            <tr key={row.set}>
              <td className="num full">
                <span className="phone two">Place {place + 1}</span>
                <span className="wide">{place + 1}</span>
              </td>
              {knobs.map((path, at) => (
                <td key={path} className="num" data-l={labelOf(path)}>
                  {edgeWords(row.values[at] ?? '')}
                </td>
              ))}
              <td className="num" data-l="Made">
                <Result value={row.totalReturn} />
              </td>
              <td className="num" data-l="Deepest fall">
                {percent(-Math.abs(row.drawdown))}
              </td>
              <td className="num wide">{plain(row.sharpe)}</td>
              <td className="num wide">{row.closedCycles}</td>
              <td className="num full">
                <PutInForm
                  small
                  profile={profile}
                  coin={coin}
                  label={`Put into the form: place ${place + 1}`}
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
        <span className="note">The form opens with the values in it. Nothing is saved before you do.</span>
      </div>
    </Section>
  );
}
