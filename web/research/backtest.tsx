import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { abortBacktest, deleteBacktest, listBacktests, pinBacktest, readBacktest } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/answers.ts';
import { fullConfigOf, isBusy, type RunPage, untilDone } from '#web/data/research.ts';
import { useAct, useRead, useRefetch } from '#web/data/read.ts';
import { Advisor } from './advisor.tsx';
import { BacktestDetails } from './backtest-details.tsx';
import { BacktestReport } from './backtest-report.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Result } from '#web/ui/figures.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { Robustness } from './robustness.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { When } from '#web/ui/when.tsx';
import { WorkProgress } from '#web/ui/work-progress.tsx';
import { signedPercent } from '#web/ui/numbers.ts';
import { costText, runStateText } from '#web/ui/research.ts';
import { resultCount, sharingText } from '#web/ui/sharing.ts';
import { Read } from '#web/ui/read.tsx';

export function BacktestPage(): ReactNode {
  const { id, runId } = useParams({ from: '/shell/profiles/$id/backtests/$runId' });
  return (
    <ResearchFrame id={id} part="Backtest">
      {(profile) => <OneRun profile={profile} runId={runId} />}
    </ResearchFrame>
  );
}

function OneRun({ profile, runId }: { profile: Profile; runId: string }): ReactNode {
  // A finished run does not change, except for being the reference.
  const read = useRead(readBacktest, { params: { id: profile.id, runId } }, { every: untilDone });
  return (
    <Read of={read} what="the backtest" title="Backtest" rows={8}>
      {(run) => <Report profile={profile} run={run} />}
    </Read>
  );
}

function Report({ profile, run }: { profile: Profile; run: RunPage }): ReactNode {
  const [symbol, setSymbol] = useState<string | undefined>(undefined);
  const results = Object.values(run.results);
  const result = results.find((entry) => entry.symbol === symbol) ?? results[0];
  const all = resultCount(run.request);
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          <Verdict run={run} result={result} />
        </h1>
        <RunTerms run={run} />
        <Actions profile={profile} run={run} />
      </div>
      {isBusy(run) ? (
        <WorkProgress
          state={run.state}
          done={results.length}
          all={all}
          unit={all === 1 ? 'result' : 'results'}
          since={run.createdAt}
          what="the backtest"
          stop={() => call(abortBacktest, { params: { id: profile.id, runId: run.id } })}
        />
      ) : null}
      {run.error === null ? null : (
        <Notice tone="loss" title="Not finished.">
          {run.error}
        </Notice>
      )}
      {run.warnings.map((warning) => (
        <Notice key={`${warning.code} ${warning.detail}`} tone="care" title={`${warning.message}:`}>
          {warning.detail}
        </Notice>
      ))}
      {results.length < 2 ? null : <Coins results={results} shown={result?.symbol} onChoose={setSymbol} />}
      {result === undefined ? null : (
        <>
          <BacktestReport key={result.symbol} result={result} run={{ profileId: profile.id, runId: run.id }} />
          <BacktestDetails result={result} />
        </>
      )}
      {run.state === 'done' && result !== undefined ? (
        <>
          <Robustness profile={profile} run={run} symbol={result.symbol} />
          <Advisor profile={profile} runId={run.id} config={fullConfigOf(run)} />
        </>
      ) : null}
    </>
  );
}

function Verdict({ run, result }: { run: RunPage; result: StoredResult | undefined }): ReactNode {
  if (result === undefined) return `The backtest ${runStateText(run.state)}.`;
  const { totalReturn, buyAndHold, capital } = result.metrics;
  const isSingle = result.coins === undefined;
  if (result.fills.length === 0) return isSingle ? `${result.symbol} was never bought.` : 'No coin was ever bought.';
  return (
    <>
      {isSingle ? result.symbol : 'All coins together'} made <Result value={totalReturn} />
      {capital === undefined
        ? `; buy and hold made ${signedPercent(buyAndHold, 1)}.`
        : `, ${signedPercent(capital.returnOnUsed, 1)} on the capital used; equal exposure made ${signedPercent(capital.equalExposure, 1)}.`}
    </>
  );
}

/** Period, candles and costs of the run in one line. */
function RunTerms({ run }: { run: RunPage }): ReactNode {
  const { request } = run;
  const sharing = sharingText(request);
  return (
    <p className="two">
      <When at={request.from} day /> to {request.to === undefined ? 'the newest candle' : <When at={request.to} day />},
      candles of {request.detailInterval}; {costText(request)}
      {sharing === undefined ? '' : `; ${sharing}`}. Started <When at={run.createdAt} />.
    </p>
  );
}

function Actions({ profile: { id }, run }: { profile: Profile; run: RunPage }): ReactNode {
  const navigate = useNavigate();
  const params = { id, runId: run.id };
  const refetch = useRefetch(listBacktests);
  const pin = useAct(pinBacktest);
  if (isBusy(run)) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <button
        type="button"
        className="btn small"
        disabled={pin.isPending}
        onClick={() => pin.mutate({ params, body: { pinned: !run.pinned } })}
      >
        {run.pinned ? 'Remove as reference' : 'Use as reference'}
      </button>
      <Confirm
        small
        words="Delete…"
        title="Delete this backtest?"
        action="Delete the backtest"
        failed="Not deleted."
        run={async () => {
          await call(deleteBacktest, { params });
          // The list is not on screen: without a refetch it would show the deleted run for a moment.
          await refetch();
          await navigate({ to: '/profiles/$id/backtests', params: { id } });
        }}
      >
        <p>Its results and the advice for it are deleted. Settings and trades stay.</p>
      </Confirm>
      <span className="note">
        {run.pinned
          ? 'Reference backtest: never removed automatically; live trading is compared with it.'
          : 'A reference backtest is never removed automatically, and live trading is compared with it.'}
      </span>
      <Failure what="Not changed." error={pin.error} />
    </div>
  );
}

interface CoinsProps {
  results: readonly StoredResult[];
  shown: string | undefined;
  onChoose: (symbol: string) => void;
}

/** Every coin of a run; the chosen one is shown in full below. */
function Coins({ results, shown, onChoose }: CoinsProps): ReactNode {
  return (
    <div className="flex flex-wrap gap-2 pb-4" role="group" aria-label="Coin">
      {results.map(({ symbol, metrics }) => (
        <button
          key={symbol}
          type="button"
          className="btn chosen"
          aria-pressed={symbol === shown}
          onClick={() => onChoose(symbol)}
        >
          {symbol} <Result value={metrics.totalReturn} />
        </button>
      ))}
    </div>
  );
}
