import { formatRounded, readDecimal } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import type { readDashboard } from '#api/contract/records.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { listProposals } from '#api/contract/proposals.ts';
import type { readWhy } from '#api/contract/why.ts';
import { COMMANDS } from './command.ts';

type Dashboard = Answer<typeof readDashboard>;
export type HeldCoin = Dashboard['coins'][number];
export type Proposal = Answer<typeof listProposals>['proposals'][number];

const MAX_CHARS = 4096;
const MAX_ROWS = 30;

/** The text of a message within the limit of Telegram. */
export const cut = (text: string): string => (text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`);

/** An amount with two decimals, or eight for a small one such as of BTC. */
export function amount(text: string | null): string {
  const value = text === null ? undefined : readDecimal(text);
  if (value === undefined) return text ?? 'unknown';
  const small = formatRounded(value, 0).replace('-', '').length < 2;
  return small ? formatRounded(value, 8).replace(/(\.\d\d\d*?)0+$/, '$1') : formatRounded(value, 2);
}

const signed = (text: string): string => (text.startsWith('-') ? amount(text) : `+${amount(text)}`);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const rows = (lines: readonly string[]): readonly string[] =>
  lines.length <= MAX_ROWS ? lines : [...lines.slice(0, MAX_ROWS), `… and ${lines.length - MAX_ROWS} more`];

export const HELP = ['Commands:', ...Object.entries(COMMANDS).map(([name, summary]) => `/${name}: ${summary}`)].join(
  '\n',
);

export const isHeld = ({ position }: HeldCoin): boolean => {
  const quantity = readDecimal(position.quantity);
  return quantity !== undefined && quantity > 0n;
};

export function statusText({ killSwitch, accounts, profiles, coins, blockers }: Dashboard): string {
  const enabled = profiles.filter((profile) => profile.enabled).length;
  const since = killSwitch.since === null ? '' : ` since ${killSwitch.since.slice(0, 16)}Z`;
  const reason = killSwitch.reason ? `: ${killSwitch.reason}` : '';
  const main = blockers.list.filter(({ behind }) => !behind);
  return [
    killSwitch.engaged ? `Buying is stopped${since}${reason}` : 'The kill switch is released.',
    ...accounts.map(({ name, equity, quoteAsset, pnlToday }) => {
      const today = pnlToday === null ? '' : `, today ${signed(pnlToday.amount)}`;
      return `${name}: equity ${amount(equity)} ${quoteAsset ?? ''}${today}`;
    }),
    `${enabled} of ${profiles.length} profiles run, ${coins.filter(isHeld).length} open positions.`,
    ...(main.length === 0 ? ['Nothing blocks trading.'] : ['Blockers:']),
    ...rows(main.map(({ name, sentence }) => `• ${name === null ? '' : `${name} `}${sentence}`)),
  ].join('\n');
}

export function positionText(coin: HeldCoin): string {
  const { symbol, profileName, quoteAsset, price, position } = coin;
  const { quantity, averagePrice, value, unrealised } = position;
  const quote = quoteAsset ?? '';
  const worth = value === null ? '' : `, worth ${amount(value)} ${quote} at ${price ?? 'unknown'}`;
  const gain = unrealised === null ? '' : `, P&L ${signed(unrealised)} ${quote}`;
  return `${symbol} (${profileName}): ${quantity} bought at ${amount(averagePrice)}${worth}${gain}`;
}

export function positionsText({ coins }: Dashboard): string {
  const held = coins.filter(isHeld);
  return held.length === 0 ? 'There is no open position.' : rows(held.map(positionText)).join('\n');
}

export const todayText = ({ accounts }: Dashboard): string =>
  accounts
    .map(({ name, quoteAsset, pnlToday, unrealised }) => {
      const share = pnlToday?.share == null ? '' : ` (${percent(pnlToday.share)})`;
      const today = pnlToday === null ? 'not known' : `${signed(pnlToday.amount)} ${quoteAsset ?? ''}${share}`;
      return `${name}: P&L today ${today}, unrealised ${signed(unrealised)}`;
    })
    .join('\n') || 'There is no account.';

export function whyText(profileName: string, why: Answer<typeof readWhy>): string {
  const { asked, covered, decisions, reasons, nearest, changes } = why;
  const hours = Math.round((Date.parse(asked.to) - Date.parse(asked.from)) / 3_600_000);
  return [
    `${asked.symbol} (${profileName}), last ${hours} h: ${decisions} decisions, ${percent(covered.share)} of the time.`,
    ...reasons.slice(0, 5).map(({ share, code, sentence }) => `${percent(share)} ${code}: ${sentence}`),
    ...(nearest === null ? [] : [`Nearest: ${nearest.awayPercent.toFixed(2)} % away at ${nearest.at.slice(0, 16)}Z.`]),
    ...(changes.length === 0 ? [] : [`Changes of settings or switches: ${changes.length}.`]),
  ].join('\n');
}

const textIn = (values: unknown, name: string): string | undefined => {
  const value = isObject(values) ? values[name] : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** Ends the links of a proposal: the last characters of its id, which are random. */
export const shortId = (id: string): string => id.slice(-8);

/** The order of a proposal, with the numbers of its preview. */
export function proposalText({ symbol, tokenName, reason, order, preview, quoteAsset }: Proposal): string {
  const judged = preview?.state === 'done' ? preview.detail : undefined;
  const side = textIn(order, 'side') === 'sell' ? 'Sell' : 'Buy';
  const quantity = textIn(judged, 'quantity') ?? textIn(order, 'quantity');
  const quote = textIn(judged, 'quote') ?? textIn(order, 'quoteAmount');
  const price = textIn(judged, 'price') ?? textIn(order, 'price');
  const [fee, worstLoss] = [textIn(judged, 'fee'), textIn(judged, 'worstLoss')];
  return [
    [
      `${side}${quantity === undefined ? '' : ` ${quantity}`} ${symbol}`,
      ...(quote === undefined ? [] : [`for ${amount(quote)} ${quoteAsset}`]),
      ...(price === undefined ? [] : [`at ${price}`]),
    ].join(' '),
    ...(fee === undefined ? [] : [`Fee ${amount(fee)} ${quoteAsset}`]),
    ...(worstLoss === undefined ? [] : [`Worst loss ${amount(worstLoss)} ${quoteAsset}`]),
    `Proposed by ${tokenName}: ${reason.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')}`,
  ].join('\n');
}

export const announcementText = (proposal: Proposal): string =>
  [
    'A program proposes an order:',
    proposalText(proposal),
    `Approve: /approve_${shortId(proposal.id)}`,
    `Deny: /deny_${shortId(proposal.id)}`,
  ].join('\n');
