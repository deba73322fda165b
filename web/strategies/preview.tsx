import { type ReactNode, useState } from 'react';
import { DEFAULT_COSTS, PREVIEW_BALANCE, PREVIEW_DAYS } from '#core/research/costs.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { previewStrategyVersion, readStrategyPreview } from '#api/contract/strategy-files.ts';
import type { Account } from '#web/data/answers.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { useDemo } from '#web/data/session.tsx';
import { useMarkets } from '#web/data/use-markets.ts';
import { Result } from '#web/ui/figures.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { MISSING, percent, twoDecimals, whole } from '#web/ui/numbers.ts';
import { costText } from '#web/ui/research.ts';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const EVERY_MS = 2_000;

/** The result of a version with its default settings on a coin of an account, before a profile uses it. */
export function Preview({ hash }: { hash: string }): ReactNode {
  const accounts = useRead(listAccounts, {});
  const [accountId, setAccountId] = useState<string | undefined>(undefined);
  const list = accounts.data?.accounts ?? [];
  const account = list.find(({ id }) => id === accountId) ?? list[0];
  if (useDemo() || account === undefined) return null;
  return (
    <Section title={`The last ${PREVIEW_DAYS} days`} note="default settings, one coin">
      {list.length < 2 ? null : (
        <div className="filters">
          <span className="in">
            <select
              aria-label="Account of the preview"
              value={account.id}
              onChange={(event) => setAccountId(event.target.value)}
            >
              {list.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </span>
        </div>
      )}
      <AccountPreview key={account.id} hash={hash} account={account} />
    </Section>
  );
}

/** The result of a version with its default settings on a coin of one account. */
export function AccountPreview({ hash, account: { id } }: { hash: string; account: Account }): ReactNode {
  const { data } = useMarkets(id);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const start = useAct(previewStrategyVersion);
  const symbols = data?.symbols.map(({ symbol }) => symbol) ?? [];
  const symbol = chosen ?? symbols[0];
  const found = useRead(
    readStrategyPreview,
    { params: { id }, query: { hash, symbol: symbol ?? '' } },
    { enabled: symbol !== undefined, every: (answer) => (answer?.preview?.state === 'running' ? EVERY_MS : false) },
  );
  const preview = found.data?.preview ?? undefined;
  const isBusy = start.isPending || preview?.state === 'running';
  if (symbol === undefined) return <p className="p-2">The worker has not read the coins of this account yet.</p>;
  return (
    <>
      <div className="actions">
        <span className="in">
          <select aria-label="Coin of the preview" value={symbol} onChange={(event) => setChosen(event.target.value)}>
            {symbols.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </span>
        <button
          type="button"
          className="btn"
          disabled={isBusy}
          onClick={() => start.mutate({ params: { id }, body: { hash, symbol } })}
        >
          Preview {symbol}
        </button>
      </div>
      <Failure what="Could not start the preview." error={start.error} />
      {isBusy ? (
        <p className="p-2" role="status">
          Running {symbol} over {PREVIEW_DAYS} days.
        </p>
      ) : null}
      {preview?.state === 'failed' ? (
        <Notice tone="care" title="No result.">
          {preview.error}
        </Notice>
      ) : null}
      {preview === undefined ? null : <Outcome preview={preview} />}
    </>
  );
}

type Found = NonNullable<Answer<typeof readStrategyPreview>['preview']>;

function Outcome({ preview: { metrics, drawdown, quoteAsset, from, to } }: { preview: Found }): ReactNode {
  if (metrics === null || drawdown === null) return null;
  const { totalReturn, buyAndHold, fees, closedCycles, winRate } = metrics;
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Return', <Result value={totalReturn} key="made" />],
    ['Buy and hold', <Result value={buyAndHold} key="held" />],
    ['Max drawdown', percent(drawdown)],
    ['Trades', whole(closedCycles)],
    ['Win rate', winRate === null ? MISSING : percent(winRate, 0)],
    ['Fees paid', `${twoDecimals(fees)} ${quoteAsset ?? ''}`],
  ];
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>
              From {twoDecimals(Number(PREVIEW_BALANCE))} {quoteAsset}
            </th>
            <th className="num">
              <When at={from} /> to <When at={to} />
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <td>{name}</td>
              <td className="num">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="note p-2">With {costText(DEFAULT_COSTS)}. Past results do not predict future results.</p>
    </>
  );
}
