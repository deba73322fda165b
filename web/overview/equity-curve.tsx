import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toNumber, ZERO } from '#core/amount/decimal.ts';
import { type Dashboard, equityQuery } from '#web/data/queries.ts';
import { moneyUnit, type AccountGroup } from '#web/ui/accounts.ts';
import { evenly, joinEquity } from '#web/ui/equity.ts';
import { numberText } from '#web/ui/numbers.ts';
import { dayMark } from '#web/ui/time.ts';
import { useZone } from '#web/data/session.tsx';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { Section } from '#web/ui/section.tsx';

const MOST_SHOWN = 500;

/** Equity over time against buy and hold of the same coins in equal parts. */
export function EquityCurve({ data: { profiles, coins }, group }: { data: Dashboard; group: AccountGroup }): ReactNode {
  const zone = useZone();
  const mine = new Set(group.accounts.map(({ id }) => id));
  const others = new Set(
    coins.filter(({ quoteAsset }) => quoteAsset !== group.asset).map(({ profileId }) => profileId),
  );
  const answers = useQueries({
    queries: profiles
      .filter(({ id, accountId }) => mine.has(accountId) && !others.has(id))
      .map(({ id }) => equityQuery(id)),
  });
  const points = answers.flatMap(({ data }) => (data === undefined ? [] : [data.points]));
  const marks = evenly(joinEquity(points, toNumber(group.equity ?? ZERO)), MOST_SHOWN);
  const [first, last] = [marks[0], marks.at(-1)];
  const unit = moneyUnit(group.tag, group.asset);
  const note = first === undefined ? undefined : `since ${dayMark(first.atMs, zone)}`;
  return (
    <Section title="Equity vs. buy and hold" note={note} span={8}>
      {first === undefined || last === undefined || marks.length < 2 ? (
        <p className="p-2">The curve starts within two minutes.</p>
      ) : (
        <>
          <div className="key">
            <span>
              <i /> Equity, {unit}
            </span>
            <span>
              <i className="d" /> Buy and hold, equal parts
            </span>
            <span className="gain">ahead</span>
            <span className="loss">behind</span>
          </div>
          <EquityPlot
            inMoney
            balance={first.worth}
            fromMs={first.atMs}
            toMs={last.atMs}
            label={`Equity ${numberText(last.worth, 2)} ${unit}, buy and hold ${numberText(last.holding, 2)} ${unit}`}
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
