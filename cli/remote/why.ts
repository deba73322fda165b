import { readWhy } from '#api/contract/why.ts';
import { ClientProblem } from '#api/script-client.ts';
import { readInstant } from '#cli/instant.ts';
import { profileOf, type Remote, requireFlag, table } from './remote.ts';

const DAY_MS = 86_400_000;

function instantOf(text: string, flag: string): string {
  const instant = readInstant(text);
  if (instant === undefined)
    throw new ClientProblem(`--${flag} must be a date such as 2026-11-24 or an instant in UTC.`);
  return instant.toISOString();
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export const WHY = {
  flags: { profile: 'text', symbol: 'text', from: 'text', to: 'text' },
  async run(link, flags) {
    const symbol = requireFlag(flags, 'symbol', 'the coin');
    const { id } = await profileOf(link, requireFlag(flags, 'profile', 'the profile'));
    const { from, to } = Object.fromEntries(flags);
    const end = to === undefined ? {} : { to: instantOf(to, 'to') };
    const start =
      from === undefined
        ? new Date(Date.parse(end.to ?? new Date().toISOString()) - DAY_MS).toISOString()
        : instantOf(from, 'from');
    const answer = await link.call(readWhy, { params: { id }, query: { symbol, from: start, ...end } });
    const { asked, covered, decisions, reasons, nearest, changes } = answer;
    const rows = reasons.map(({ share, decisions: count, code, by, lastAt, sentence }) => [
      ...[percent(share), String(count), code, by, lastAt, sentence],
    ]);
    const miss =
      nearest === null ? [] : [`Nearest to a buy: ${nearest.awayPercent} % away at ${nearest.at} (${nearest.code}).`];
    const changed = changes.map(({ at, action, subject, actor }) =>
      [at, action, subject, actor === null ? '' : `by ${actor.name}`].join('  ').trimEnd(),
    );
    return {
      answer,
      lines: [
        `${symbol} from ${asked.from} to ${asked.to}: ${decisions} decisions, ${percent(covered.share)} of the time covered.`,
        ...(rows.length === 0
          ? []
          : table([['TIME', 'DECISIONS', 'REASON', 'BY', 'LAST', 'NEWEST SENTENCE'], ...rows])),
        ...miss,
        ...(changed.length === 0 ? [] : ['Changes:', ...changed]),
      ],
    };
  },
} satisfies Remote;
