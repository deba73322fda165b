import type { ReactNode } from 'react';
import type { SweepRequest } from '#core/research/research.ts';
import type { SweepResult } from '#web/data/research.ts';
import { useZone } from '#web/data/session.tsx';

import { dayMark } from '#web/ui/time.ts';
import { Result } from '#web/ui/figures.tsx';
import { Section } from '#web/ui/section.tsx';
import { signedPercent } from '#web/ui/numbers.ts';

interface ForwardProps {
  result: SweepResult;
  requested: SweepRequest['walkForward'];
}

/** Each fold: the best of its train days and the result on its test days. */
export function WalkForward({ result: { walkForward }, requested }: ForwardProps): ReactNode {
  const folds = walkForward?.folds ?? [];
  const [first, last] = [folds[0], folds.at(-1)];
  if (walkForward === undefined || first === undefined || last === undefined) {
    return (
      <Section title="Walk-forward" span={5}>
        <p className="p-2">
          {requested === undefined
            ? 'Not run. Switch on “Walk forward” in the form to test the best settings on unseen days.'
            : 'No result yet.'}
        </p>
      </Section>
    );
  }
  const gained = folds.filter(({ outOfSample }) => outOfSample.totalReturn > 0).length;
  const inSample = folds.reduce((product, { best }) => product * (1 + best.totalReturn), 1) - 1;
  return (
    <Section title="Walk-forward" note={`${folds.length} ${folds.length === 1 ? 'window' : 'windows'}`} span={5}>
      <div className="wf">
        <span className="note">Train from</span>
        <span className="note">thin: train days, thick: test days</span>
        <span className="note num">Unseen</span>
        <span className="note num">In sample</span>
        {folds.map((fold) => (
          <Fold key={fold.testFrom} fold={fold} fromMs={Date.parse(first.trainFrom)} toMs={Date.parse(last.testTo)} />
        ))}
      </div>
      <p className="two p-2">
        <b>Unseen days together: {signedPercent(walkForward.totalReturn, 1)}.</b> In sample:{' '}
        {signedPercent(inSample, 1)}. {gained} of {folds.length} unseen windows made a profit.
      </p>
    </Section>
  );
}

interface FoldProps {
  fold: NonNullable<SweepResult['walkForward']>['folds'][number];
  fromMs: number;
  toMs: number;
}

function Fold({ fold: { trainFrom, testFrom, testTo, best, outOfSample }, fromMs, toMs }: FoldProps): ReactNode {
  const zone = useZone();
  const at = (iso: string): number => ((Date.parse(iso) - fromMs) / (toMs - fromMs)) * 100;
  const lost = outOfSample.totalReturn <= 0;
  return (
    <>
      <span className="nb">{dayMark(Date.parse(trainFrom), zone)}</span>
      <span className="ln" aria-hidden="true">
        <i style={{ left: `${at(trainFrom)}%`, width: `${at(testFrom) - at(trainFrom)}%` }} />
        <b className={lost ? 'neg' : ''} style={{ left: `${at(testFrom)}%`, width: `${at(testTo) - at(testFrom)}%` }} />
      </span>
      <span className="num">
        <Result value={outOfSample.totalReturn} />
      </span>
      <span className="num two">{signedPercent(best.totalReturn, 1)}</span>
    </>
  );
}
