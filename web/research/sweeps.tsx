import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listSweeps } from '#api/contract/research.ts';
import type { Profile } from '#web/data/answers.ts';
import { isBusy, paceOf, type Sweep } from '#web/data/research.ts';
import { useRead } from '#web/data/read.ts';
import { SweepForm } from './sweep-form.tsx';
import { useLabels } from '#web/config/setting-labels.ts';
import { ResearchFrame } from './research-frame.tsx';
import { ResearchReady } from './research-ready.tsx';
import { Section } from '#web/ui/section.tsx';
import { TrialLedger } from './trial-ledger.tsx';
import { When } from '#web/ui/when.tsx';
import { runStateText } from '#web/ui/research.ts';
import { Read } from '#web/ui/read.tsx';
import { whole } from '#web/ui/numbers.ts';

export function SweepsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/sweeps' });
  return (
    <ResearchFrame id={id} part="Sweeps">
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">Sweeps of {profile.name}</h1>
            <p className="two">
              A sweep runs many settings over the past. Many runs find a good one by chance, so every run is counted and
              the luck of the best is estimated.
            </p>
          </div>
          <div className="cols">
            <Section title="New sweep" span={5}>
              <ResearchReady profile={profile}>{(ready) => <SweepForm ready={ready} />}</ResearchReady>
            </Section>
            <div className="c7 first">
              <Sweeps profile={profile} />
              <TrialLedger strategyName={profile.strategyName} />
            </div>
          </div>
        </>
      )}
    </ResearchFrame>
  );
}

function Sweeps({ profile: { id } }: { profile: Profile }): ReactNode {
  const all = useRead(listSweeps, { params: { id } }, { every: (data) => paceOf(data?.sweeps) });
  return (
    <Section title="Sweeps" note="newest first">
      <Read of={all} what="the sweeps" rows={4} height={52}>
        {({ sweeps }) =>
          sweeps.length === 0 ? (
            <p className="p-2">No sweeps yet.</p>
          ) : (
            <table className="cards">
              <thead>
                <tr>
                  <th>Started</th>
                  <th>Coin</th>
                  <th>Varied settings</th>
                  <th className="num">Settings</th>
                </tr>
              </thead>
              <tbody>
                {sweeps.map((sweep) => (
                  <Row key={sweep.id} id={id} sweep={sweep} />
                ))}
              </tbody>
            </table>
          )
        }
      </Read>
    </Section>
  );
}

function Row({ id, sweep }: { id: Profile['id']; sweep: Sweep }): ReactNode {
  const { request } = sweep;
  const { labelOf } = useLabels(sweep.strategyName, request.coin.config);
  const knobs = request.knobs.split(';').map((knob) => knob.split('=')[0]?.trim() ?? '');
  return (
    <tr>
      <td>
        <Link to="/profiles/$id/sweeps/$sweepId" params={{ id, sweepId: sweep.id }}>
          <When at={sweep.createdAt} />
        </Link>
        <span className="note">
          {isBusy(sweep)
            ? `${runStateText(sweep.state)}, ${sweep.unitsDone} of ${sweep.units} parts`
            : runStateText(sweep.state)}
        </span>
      </td>
      <td className="rt">{request.coin.symbol}</td>
      <td className="full">
        {knobs.map((knob) => (
          <span key={knob} className="block">
            {labelOf(knob)}
          </span>
        ))}
        <span className="note">
          {request.search}
          {request.walkForward === undefined ? '' : ', walk forward'}
        </span>
      </td>
      <td className="num" data-l="Settings">
        {whole(sweep.sets)}
      </td>
    </tr>
  );
}
