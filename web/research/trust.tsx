import type { ReactNode } from 'react';
import type { StoredResult } from '#core/research/backtest-result.ts';
import type { ProfileId } from '#core/ids.ts';
import { readRobustness } from '#api/contract/research.ts';
import type { Answer } from '#api/contract/operation.ts';
import { untilDone } from '#web/data/research.ts';
import { useRead } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { numberText, percent, signedPercent, whole } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';

type Report = Answer<typeof readRobustness>['coins'][string];

/** Fewer trades say nothing, or little. */
const [FEW, SOME] = [30, 100];
/** A wider band of ambiguity, as a share of the balance, is a warning. */
const WIDE = 0.01;
/** Share of losing shuffles above which the result may be luck. */
const MOST_LOSING = 0.05;
const BPS = 10_000;

interface Check {
  readonly icon: 'ok' | 'warn' | 'ring' | 'x';
  readonly words: string;
  readonly value: string;
  readonly note: string;
}

function tradesCheck({ metrics: { closedCycles } }: StoredResult): Check {
  const note =
    closedCycles < FEW
      ? `too few: at least ${FEW} to say anything`
      : closedCycles < SOME
        ? `few: ${SOME} are firm`
        : 'enough';
  return { icon: closedCycles < SOME ? 'warn' : 'ok', words: 'Number of trades', value: whole(closedCycles), note };
}

function luckCheck(coin: Report | undefined): Check {
  if (coin === undefined)
    return { icon: 'ring', words: 'Luck', value: 'not tested', note: 'run the robustness tests below' };
  const { monteCarlo } = coin;
  if (monteCarlo === null) return { icon: 'ring', words: 'Luck', value: 'not measured', note: 'too few trades' };
  const { lossShare } = monteCarlo.resampled;
  return {
    icon: lossShare > MOST_LOSING ? 'warn' : 'ok',
    ...{ words: 'Luck', value: percent(lossShare, 0), note: 'of the random draws of its trades lost money' },
  };
}

function ambiguityCheck({ ambiguity: { worst, best, candles }, balance }: StoredResult): Check {
  const width = (best - worst) / Number(balance);
  return {
    icon: width > WIDE ? 'warn' : 'ok',
    words: 'Ambiguity',
    value: `${numberText(width * 100, 1)} points`,
    note:
      candles === 0
        ? 'no candle leaves the order of events open'
        : `in ${whole(candles)} candles the order of events is unknown; see the band`,
  };
}

function lookAheadCheck(coin: Report | undefined): Check {
  const words = 'Look-ahead';
  if (coin === undefined) return { icon: 'ring', words, value: 'not tested', note: 'run the robustness tests below' };
  return coin.foresight === null
    ? { icon: 'ok', words, value: 'none', note: 'without the later candles it decided the same' }
    : { icon: 'x', words, value: 'found', note: 'do not trust these metrics' };
}

function changesCheck(coin: Report | undefined): Check {
  const words = 'Small changes';
  const returns = coin?.variants.map(({ totalReturn }) => totalReturn) ?? [];
  if (returns.length === 0)
    return { icon: 'ring', words, value: 'not tested', note: 'each setting moved by a tenth of its distance' };
  const [low, high] = [Math.min(...returns), Math.max(...returns)];
  const value = `${signedPercent(low, 1)} to ${signedPercent(high, 1)}`;
  return { icon: low < 0 ? 'warn' : 'ok', words, value, note: 'return when each setting moves by a tenth' };
}

/** Costs of one order: fee, slippage and half of the spread. */
function costsCheck({ feeBps, slippageBps, spreadBps }: StoredResult): Check {
  const [fee, slippage, spread] = [feeBps, slippageBps, spreadBps].map((bps) => numberText((bps / BPS) * 100, 2));
  return {
    icon: feeBps > 0 && slippageBps + spreadBps > 0 ? 'ok' : 'warn',
    words: 'Costs',
    value: percent((feeBps + slippageBps + spreadBps / 2) / BPS, 2),
    note: `per order: fee ${fee}, slippage ${slippage}, half of the spread ${spread}`,
  };
}

/** The evidence for and against the result, one line for each question. */
export function Trust({
  result,
  run,
}: {
  result: StoredResult;
  run: { profileId: ProfileId; runId: string };
}): ReactNode {
  const params = { id: run.profileId, runId: run.runId };
  const { data } = useRead(readRobustness, { params }, { every: untilDone });
  const coin = data?.coins[result.symbol];
  const checks = [
    ...[tradesCheck(result), luckCheck(coin), ambiguityCheck(result)],
    ...[lookAheadCheck(coin), changesCheck(coin), costsCheck(result)],
  ];
  return (
    <Section title="How far to trust it" span={4}>
      <dl className="dl">
        {checks.map(({ icon, words, value, note }) => (
          <div key={words} className="contents">
            <dt>
              <Icon name={icon} /> {words}
              <span className="note block">{note}</span>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
