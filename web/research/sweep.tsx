import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sweepVerdict } from '#backtest/sweep/verdict.ts';
import { abortSweep, readSweep } from '#api/contract/research.ts';
import { listCoins } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/answers.ts';
import { isBusy, type SweepPage as SweepAnswer, type SweepResult, untilDone } from '#web/data/research.ts';
import { useRead } from '#web/data/read.ts';
import { useLabels } from '#web/config/setting-labels.ts';
import { Figure, Result } from '#web/ui/figures.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SweepHeat } from './sweep-heat.tsx';
import { SweepRanking } from './sweep-ranking.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { TrialLedger } from './trial-ledger.tsx';
import { WalkForward } from './walk-forward.tsx';
import { When } from '#web/ui/when.tsx';
import { WorkProgress } from '#web/ui/work-progress.tsx';
import { count, percent, twoDecimals, whole } from '#web/ui/numbers.ts';
import { costText, runStateText } from '#web/ui/research.ts';
import { ONE_OF_SEVERAL } from '#web/ui/sharing.ts';
import { Read } from '#web/ui/read.tsx';

export function SweepPage(): ReactNode {
  const { id, sweepId } = useParams({ from: '/shell/profiles/$id/sweeps/$sweepId' });
  return (
    <ResearchFrame id={id} part="Sweep">
      {(profile) => <OneSweep profile={profile} sweepId={sweepId} />}
    </ResearchFrame>
  );
}

function OneSweep({ profile, sweepId }: { profile: Profile; sweepId: string }): ReactNode {
  const read = useRead(readSweep, { params: { id: profile.id, sweepId } }, { every: untilDone });
  return (
    <Read of={read} what="the sweep" title="Sweep" rows={8}>
      {(sweep) => <Report profile={profile} sweep={sweep} />}
    </Read>
  );
}

function Report({ profile, sweep }: { profile: Profile; sweep: SweepAnswer }): ReactNode {
  const held = useRead(listCoins, { params: { id: profile.id } });
  const { request } = sweep;
  const labels = useLabels(profile.strategyName, request.coin.config);
  const coin = held.data?.coins.find(({ symbol }) => symbol === request.coin.symbol);
  const { result } = sweep;
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          <Verdict sweep={sweep} />
        </h1>
        <SweepTerms sweep={sweep} several={profile.symbols.length > 1} />
      </div>
      {isBusy(sweep) ? (
        <WorkProgress
          state={sweep.state}
          done={sweep.unitsDone}
          all={sweep.units}
          unit={sweep.units === 1 ? 'part' : 'parts'}
          since={sweep.createdAt}
          what="the sweep"
          stop={() => call(abortSweep, { params: { id: profile.id, sweepId: sweep.id } })}
        />
      ) : null}
      {sweep.error === null ? null : (
        <Notice tone="loss" title="Not finished.">
          {sweep.error}
        </Notice>
      )}
      {sweep.warnings.map((warning) => (
        <Notice key={`${warning.code} ${warning.detail}`} tone="care" title={`${warning.message}:`}>
          {warning.detail}
        </Notice>
      ))}
      {result?.warnings.map((warning) => (
        <Notice key={warning} tone="care">
          {warning}
        </Notice>
      ))}
      {result === null ? null : <RefusedSets result={result} total={sweep.sets} />}
      {result === null || result.rows.length === 0 ? null : (
        <>
          <Figures result={result} />
          <Luck result={result} />
          <div className="cols">
            <SweepHeat result={result} config={request.coin.config} labels={labels} />
            <WalkForward result={result} requested={request.walkForward} />
          </div>
          <SweepRanking profile={profile} coin={coin} result={result} labels={labels} />
          <TrialLedger strategyName={sweep.strategyName} />
        </>
      )}
    </>
  );
}

function Verdict({ sweep }: { sweep: SweepAnswer }): ReactNode {
  const { result } = sweep;
  const best = result?.rows[0];
  if (best === undefined || result === null) return `The sweep of ${sweep.sets} settings ${runStateText(sweep.state)}.`;
  const { kind, title } = sweepVerdict(result);
  if (kind === 'too-few-trades')
    return `${title}: the best of ${whole(result.evaluated)} closed ${count(best.closedCycles, 'trade')}.`;
  if (kind === 'no-profit' && result.profitable === 0) return `None of ${whole(result.evaluated)} settings made money.`;
  return (
    <>
      The best of {whole(result.evaluated)} made <Result value={best.totalReturn} />
      {result.walkForward === undefined ? (
        ', in sample.'
      ) : (
        <>
          . On unseen days: <Result value={result.walkForward.totalReturn} />.
        </>
      )}
    </>
  );
}

function SweepTerms({ sweep, several }: { sweep: SweepAnswer; several: boolean }): ReactNode {
  const { request } = sweep;
  return (
    <p className="two">
      <StrategyName name={sweep.strategyName} /> on {request.coin.symbol}, <When at={request.from} day /> to{' '}
      {request.to === undefined ? 'the newest candle' : <When at={request.to} day />}, candles of{' '}
      {request.detailInterval}; {costText(request)}.{several ? ` ${ONE_OF_SEVERAL}` : ''}
    </p>
  );
}

/** Invalid settings that the sweep left out. */
function RefusedSets({ result: { refused }, total }: { result: SweepResult; total: number }): ReactNode {
  if (refused === undefined || refused.count === 0) return null;
  return (
    <Notice tone="next" title="Some settings are invalid:">
      The sweep left out {whole(refused.count)} of {whole(total)}. The first: {refused.example}.
    </Notice>
  );
}

function Figures({ result }: { result: SweepResult }): ReactNode {
  const [best] = result.rows;
  const { walkForward, luck, overfitting, trials } = result;
  if (best === undefined) return null;
  return (
    <div className="figs">
      {walkForward === undefined ? null : (
        <Figure label="Unseen days" note="the most reliable result">
          <Result value={walkForward.totalReturn} />
        </Figure>
      )}
      <Figure label="Best, in sample" note={count(best.closedCycles, 'trade')}>
        <Result value={best.totalReturn} />
      </Figure>
      <Figure label="Max drawdown" note="from the high">
        {percent(-Math.abs(best.drawdown))}
      </Figure>
      <Figure
        label="This good by luck"
        note={`deflated Sharpe; Sharpe ${twoDecimals(best.sharpe)} after ${whole(trials)} runs`}
      >
        {luck.kind === 'measured' ? percent(luck.chance, 1) : 'not shown'}
      </Figure>
      <Figure
        label="Overfitting (PBO)"
        note={
          overfitting === null ? 'not measured' : 'the best of one half of the days is below the median of the other'
        }
      >
        {overfitting === null ? 'not shown' : percent(overfitting, 0)}
      </Figure>
    </div>
  );
}

/** The verdict, as the command line prints it. */
function Luck({ result }: { result: SweepResult }): ReactNode {
  const { kind, title, text } = sweepVerdict(result);
  return (
    <Notice tone={kind === 'promising' || kind === 'not-tried-forward' ? 'next' : 'care'} title={`${title}.`}>
      {text}
    </Notice>
  );
}
