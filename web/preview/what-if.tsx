import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { toNumber } from '#core/amount/decimal.ts';
import { DEFAULT_COSTS } from '#core/research/costs.ts';
import type { Coin, Profile } from '#web/data/answers.ts';
import { AmbiguityBand } from '#web/ui/ambiguity-band.tsx';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { CAPITAL } from '#web/ui/capital.ts';
import { MISSING, percent, signedPercent, twoDecimals, whole } from '#web/ui/numbers.ts';
import { costText } from '#web/ui/research.ts';
import { ONE_OF_SEVERAL } from '#web/ui/sharing.ts';
import { age } from '#web/ui/time.ts';
import type { Comparison, Past, Summary } from './summary.ts';
import { usePreview } from './use-preview.ts';

const TITLE = 'What if';

interface WhatIfProps {
  profile: Profile;
  coins: readonly Coin[];
  saved: Readonly<Record<string, unknown>>;
  edit: Readonly<Record<string, unknown>>;
}

/** The result of the edited settings on the past. A browser does not run strategy files: a backtest does. */
export function WhatIf(props: WhatIfProps): ReactNode {
  const { id, strategyName } = props.profile;
  if (!strategyName.includes('@')) return <Replayed {...props} />;
  return (
    <Section title={TITLE}>
      <p className="p-2">
        A strategy file runs on the server. Save the settings, then{' '}
        <Link to="/profiles/$id/backtests" params={{ id }}>
          run a backtest
        </Link>
        .
      </p>
    </Section>
  );
}

function Replayed({ profile, coins, saved, edit }: WhatIfProps): ReactNode {
  const [symbol, setSymbol] = useState<string | undefined>(undefined);
  const coin = coins.find((candidate) => candidate.symbol === symbol) ?? coins[0];
  const changed = JSON.stringify(saved) !== JSON.stringify(edit);
  const { error, progress, past, answer } = usePreview({ profile, coin, saved, edit });
  return (
    <Section title={TITLE} note={past === undefined ? undefined : noteOf(past, answer)}>
      {coins.length < 2 ? null : (
        <div className="filters">
          <span className="in">
            <select
              aria-label="Coin of the preview"
              value={coin?.symbol}
              onChange={(event) => setSymbol(event.target.value)}
            >
              {coins.map((option) => (
                <option key={option.symbol}>{option.symbol}</option>
              ))}
            </select>
          </span>
        </div>
      )}
      <Failure what="Could not load the candles." error={error} />
      {coin === undefined ? <p className="p-2">Add a coin to see the result of these settings.</p> : null}
      {coin !== undefined && past === undefined && error === null ? (
        <p className="p-2" role="status">
          Loading the candles of {coin.symbol}: {percent(progress, 0)}.
        </p>
      ) : null}
      {past === undefined || answer === undefined || coin === undefined ? null : (
        <Outcome {...{ past, answer, changed, coin, profile }} />
      )}
    </Section>
  );
}

function noteOf({ columns, interval }: Past, answer: Comparison | undefined): string {
  const size = `${age(columns.openMs.length * INTERVAL_MS[interval])} of ${interval} candles`;
  return answer === undefined ? size : `${size}, replayed in ${Math.round(answer.tookMs)} ms`;
}

interface OutcomeProps {
  past: Past;
  answer: Comparison;
  changed: boolean;
  coin: Coin;
  profile: Profile;
}

function Outcome({ past, answer: { saved, edit, holding }, changed, coin, profile }: OutcomeProps): ReactNode {
  if (edit.kind === 'refused') {
    return (
      <Notice tone="care" title="Nothing to replay.">
        {edit.sentence}
      </Notice>
    );
  }
  const before = saved.kind === 'summary' ? saved.summary : undefined;
  const { openMs } = past.columns;
  const balance = toNumber(past.terms.balance);
  const alone = profile.symbols.length > 1 ? ` with ${coin.baseAsset ?? coin.symbol} alone` : '';
  return (
    <>
      {changed ? (
        <p className="strip">
          <span>
            This edit{alone} <b className="intent">{signedPercent(edit.summary.totalReturn, 1)}</b>
            {before === undefined ? null : <span className="two"> was {signedPercent(before.totalReturn, 1)}</span>}
          </span>
          <a href="#what-if">See the curve</a>
        </p>
      ) : null}
      <p className="px-2 pb-2" role="status" id="what-if">
        {changed ? 'This edit' : 'The saved settings'} would have made{' '}
        <b className="intent">{signedPercent(edit.summary.totalReturn, 1)}</b>
        {changed && before !== undefined ? ` instead of ${signedPercent(before.totalReturn, 1)}` : ''}
        {alone}.{alone === '' ? null : <Coverage profile={profile} />}
      </p>
      <div className="key">
        <span>
          <i className="n" /> {changed ? 'this edit' : 'as saved'}
        </span>
        {changed ? (
          <span>
            <i /> as saved
          </span>
        ) : null}
        <span>
          <i className="d" /> buy and hold
        </span>
      </div>
      <EquityPlot
        balance={balance}
        fromMs={openMs[0] ?? 0}
        toMs={openMs.at(-1) ?? 0}
        label={`Equity from ${balance}: this edit ${signedPercent(edit.summary.totalReturn, 1)}`}
        lines={[
          { kind: 'held', values: [balance, ...holding] },
          ...(changed && before !== undefined ? [{ kind: 'fact' as const, values: [balance, ...before.days] }] : []),
          { kind: 'intent', values: [balance, ...edit.summary.days] },
        ]}
      />
      <Table
        before={changed ? before : undefined}
        after={edit.summary}
        from={`From 10,000.00 ${coin.quoteAsset ?? ''}`}
      />
      <h3 className="px-2 pt-5 font-strong">How sure?</h3>
      <AmbiguityBand band={edit.summary.band} />
      <p className="note p-2">With {costText(DEFAULT_COSTS)}. Past results do not predict future results.</p>
    </>
  );
}

/** Says which part of the profile the result covers. */
function Coverage({ profile: { id, symbols } }: { profile: Profile }): ReactNode {
  return (
    <span className="note block">
      This is 1 of the {symbols.length} coins of the profile, not the result of the profile. {ONE_OF_SEVERAL}{' '}
      <Link to="/profiles/$id/backtests" params={{ id }}>
        Backtest all coins
      </Link>
    </span>
  );
}

interface Row {
  readonly words: string;
  /** Shown on hover. */
  readonly note?: string;
  readonly value: (summary: Summary) => number | null;
  readonly text: (value: number) => string;
  /** Whether more is better, worse, or neither. */
  readonly better: 1 | -1 | 0;
}

const ROWS: readonly Row[] = [
  { words: 'Return', value: (summary) => summary.totalReturn, text: (value) => signedPercent(value, 1), better: 1 },
  {
    ...CAPITAL.returnOnUsed,
    value: (summary) => summary.returnOnCapital,
    text: (value) => signedPercent(value, 1),
    better: 1,
  },
  { ...CAPITAL.alpha, value: (summary) => summary.alpha, text: (value) => signedPercent(value, 2), better: 1 },
  {
    words: 'Max drawdown',
    value: (summary) => -Math.abs(summary.drawdown),
    text: (value) => percent(value),
    better: 1,
  },
  { words: 'Trades', value: (summary) => summary.sales, text: whole, better: 0 },
  { words: 'Win rate', value: (summary) => summary.winRate, text: (value) => percent(value, 0), better: 1 },
  { words: 'Fees paid', value: (summary) => summary.fees, text: twoDecimals, better: -1 },
  { ...CAPITAL.exposure, value: (summary) => summary.exposure, text: (value) => percent(value, 0), better: 0 },
];

function Table({ before, after, from }: { before: Summary | undefined; after: Summary; from: string }): ReactNode {
  const show = (row: Row, summary: Summary): string => {
    const value = row.value(summary);
    return value === null ? MISSING : row.text(value);
  };
  return (
    <table>
      <thead>
        <tr>
          <th>{from}</th>
          {before === undefined ? null : <th className="num">As saved</th>}
          <th className="num">{before === undefined ? 'As saved' : 'This edit'}</th>
          {before === undefined ? null : <th className="num">Change</th>}
        </tr>
      </thead>
      <tbody>
        {ROWS.map((row) => (
          <tr key={row.words}>
            <td title={row.note}>{row.words}</td>
            {before === undefined ? null : <td className="num two">{show(row, before)}</td>}
            <td className="num">
              <b>{show(row, after)}</b>
            </td>
            {before === undefined ? null : (
              <td className="num">
                <Difference row={row} before={before} after={after} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Difference({ row, before, after }: { row: Row; before: Summary; after: Summary }): ReactNode {
  const [old, now] = [row.value(before), row.value(after)];
  if (old === null || now === null) return MISSING;
  const text = row.text(now - old);
  if (!/[1-9]/.test(text)) return <span className="two">same</span>;
  const up = now > old;
  const good = row.better === 0 ? undefined : up === (row.better === 1);
  const signed = up && !text.startsWith('+') ? `+${text}` : text;
  if (good === undefined) return signed;
  return (
    <span className={good ? 'gain nb' : 'loss nb'}>
      <Icon name={up ? 'up' : 'dn'} /> {signed}
    </span>
  );
}
