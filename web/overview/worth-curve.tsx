import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toNumber, ZERO } from '#core/amount/decimal.ts';
import { type Dashboard, equityQuery } from '#web/data/queries.ts';
import { moneyUnit, type Purse } from '#web/ui/accounts.ts';
import { joinEquity } from '#web/ui/equity.ts';
import { numberText } from '#web/ui/numbers.ts';
import { dayMark } from '#web/ui/time.ts';
import { useZone } from '#web/data/session.tsx';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { Section } from '#web/ui/section.tsx';

/** What everything in a purse was worth over time, beside the same money left in its coins. */
export function WorthCurve({ data: { profiles, coins }, purse }: { data: Dashboard; purse: Purse }): ReactNode {
  const zone = useZone();
  const mine = new Set(purse.accounts.map(({ id }) => id));
  const others = new Set(
    coins.filter(({ quoteAsset }) => quoteAsset !== purse.asset).map(({ profileId }) => profileId),
  );
  const answers = useQueries({
    queries: profiles
      .filter(({ id, accountId }) => mine.has(accountId) && !others.has(id))
      .map(({ id }) => equityQuery(id)),
  });
  const points = answers.flatMap(({ data }) => (data === undefined ? [] : [data.points]));
  const marks = joinEquity(points, toNumber(purse.equity ?? ZERO));
  const [first, last] = [marks[0], marks.at(-1)];
  const unit = moneyUnit(purse.tag, purse.asset);
  const note = first === undefined ? undefined : `since ${dayMark(first.atMs, zone)}, marked every quarter of an hour`;
  return (
    <Section title="Worth against holding" note={note} span={8}>
      {first === undefined || last === undefined || marks.length < 2 ? (
        <p className="p-2">The curve begins with the second mark; one is set every quarter of an hour.</p>
      ) : (
        <>
          <div className="key">
            <span>
              <i /> worth, {unit}
            </span>
            <span>
              <i className="d" /> the same money, left in the coins in equal parts
            </span>
            <span className="gain">green: ahead</span>
            <span className="loss">orange: behind</span>
          </div>
          <EquityPlot
            inMoney
            balance={first.worth}
            fromMs={first.atMs}
            toMs={last.atMs}
            label={`Worth ${numberText(last.worth, 2)} ${unit}, by holding ${numberText(last.holding, 2)}`}
            lines={[
              { kind: 'fact', values: marks.map(({ worth }) => worth) },
              { kind: 'held', values: marks.map(({ holding }) => holding) },
            ]}
          />
        </>
      )}
    </Section>
  );
}
