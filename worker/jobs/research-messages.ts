import { formatRounded, requireDecimal } from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import type { Notification } from '#core/installation/notify.ts';
import type { DryRunResult } from '#core/research/dry-run.ts';

type Message = Pick<Notification, 'title' | 'text'> & { readonly event: 'backtest-complete' };

/** Names up to three coins, and counts more. */
const coinsText = (symbols: readonly string[]): string =>
  symbols.length > 3 ? `${symbols.length} coins` : symbols.join(', ');

const message = (of: string, error: string | null, text: string): Message => ({
  event: 'backtest-complete',
  title: `${of} has ${error === null ? 'ended' : 'failed'}`,
  text: error ?? text,
});

export const backtestMessage = (
  symbols: readonly string[],
  { id, error }: { readonly id: string; readonly error: string | null },
): Message => message(`The backtest of ${coinsText(symbols)}`, error, `Its results are kept as run ${id}.`);

const netText = (net: string, asset: string): string =>
  `${formatRounded(requireDecimal(net), moneyPlaces(asset))} ${asset}`;

/** The message of a finished dry run, or with an error that of a failed one. */
export function dryRunMessage(symbols: readonly string[], ended: DryRunResult | { readonly error: string }): Message {
  const of = `The dry run of ${coinsText(symbols)}`;
  if ('error' in ended) return message(of, ended.error, '');
  const nets = ended.totals.map(
    ({ quoteAsset, present, changed }) =>
      `Net P&L ${netText(changed.net, quoteAsset)} with the changed settings, ${netText(present.net, quoteAsset)} with the present ones.`,
  );
  const decisions = `${ended.differing} of ${ended.decisions} decisions differ.`;
  return message(of, null, [decisions, ...nets, 'Promote or drop it under Dry runs of the profile.'].join(' '));
}
