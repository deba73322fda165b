import type { z } from 'zod';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { changesOf, decisionParts, type DecisionSpan, findDecision, type ReasonPart } from '#storage/history/why.ts';
import { readWhy } from '#api/contract/why.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { invalidField } from '#api/frame/problem.ts';
import { networkOf } from '#api/guard/client-ip.ts';
import { requireAllowance } from '#api/guard/throttle.ts';
import type { Incoming, Routes } from '#api/handle.ts';

type Answer = z.output<(typeof readWhy)['response']>;

const PARTS = 24;
const MAX_DAYS = 92;
const DAY_MS = 86_400_000;
/** A row of decisions may start that long before the part in which it counts. */
const LONGEST_ROW_MS = 70 * 60_000;
const MAX_CHANGES = 100;
const MAX_A_MINUTE = 30;

function spanOf({ profile, query }: Incoming<typeof readWhy>, now: Date): DecisionSpan {
  const [from, to] = [new Date(query.from), query.to === undefined ? now : new Date(query.to)];
  if (to.getTime() <= from.getTime()) throw invalidField('from', 'is not before the end of the span');
  if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
    throw invalidField('from', `is more than ${MAX_DAYS} days before the end of the span`);
  return { profileId: profile.id, symbol: query.symbol, from, to, parts: PARTS };
}

const byOf = ({ refused }: Pick<ReasonPart, 'refused'>): 'engine' | 'strategy' => (refused ? 'engine' : 'strategy');
const round = (value: number): number => Math.round(value * 1e6) / 1e6;

interface ReasonSum extends Omit<ReasonPart, 'part' | 'away'> {}

const earliest = (dates: readonly Date[]): Date => new Date(Math.min(...dates.map((date) => date.getTime())));
const latest = (dates: readonly Date[]): Date => new Date(Math.max(...dates.map((date) => date.getTime())));

function sumOf(own: readonly ReasonPart[]): ReasonSum[] {
  const [first] = own;
  if (first === undefined) return [];
  return [
    {
      ...{ reason: first.reason, refused: first.refused },
      decisions: own.reduce((sum, { decisions }) => sum + decisions, 0),
      seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
      ...{ firstAt: earliest(own.map(({ firstAt }) => firstAt)), lastAt: latest(own.map(({ lastAt }) => lastAt)) },
      newest: latest(own.map(({ newest }) => newest)),
    },
  ];
}

/** The reasons of a span, the longest first. */
const sumsOf = (parts: readonly ReasonPart[]): ReasonSum[] =>
  [...Map.groupBy(parts, ({ reason, refused }) => `${refused} ${reason}`).values()]
    .flatMap(sumOf)
    .toSorted((a, b) => b.seconds - a.seconds || b.decisions - a.decisions);

const secondsOf = ({ from, to }: DecisionSpan): number => (to.getTime() - from.getTime()) / 1000;

function timelineOf(parts: readonly ReasonPart[], span: DecisionSpan): Answer['timeline'] {
  const widthMs = (secondsOf(span) * 1000) / PARTS;
  const at = (part: number): Date => new Date(span.from.getTime() + part * widthMs);
  return Array.from({ length: PARTS }, (_, part) => {
    const [main] = parts.filter((row) => row.part === part).toSorted((a, b) => b.seconds - a.seconds);
    const named = main === undefined ? { code: null, by: null } : ({ code: main.reason, by: byOf(main) } as const);
    return { from: at(part), to: at(part + 1), ...named, share: round(((main?.seconds ?? 0) * 1000) / widthMs) };
  });
}

async function nearestOf({ database }: ApiContext, parts: readonly ReasonPart[], span: DecisionSpan) {
  const measured = parts.flatMap(({ away, ...row }) => (away === null ? [] : [{ ...row, away }]));
  const [nearest] = measured.toSorted((a, b) => a.away - b.away || b.newest.getTime() - a.newest.getTime());
  if (nearest === undefined) return null;
  const { reason, refused, away, firstAt, newest } = nearest;
  const place = { ...span, reason, refused, away, from: new Date(firstAt.getTime() - LONGEST_ROW_MS), to: newest };
  const row = await findDecision(database.kysely, place);
  if (row === undefined) return null;
  const { id: rowId, at, sentence, numbers } = row;
  return { awayPercent: away, code: reason, at, sentence, numbers, rowId };
}

async function reasonsOf({ database }: ApiContext, sums: readonly ReasonSum[], span: DecisionSpan) {
  const rows = sums.map(async ({ newest, firstAt, lastAt, ...sum }) => {
    const row = await findDecision(database.kysely, { ...span, ...sum, from: newest, to: newest });
    return {
      ...{ code: sum.reason, by: byOf(sum), decisions: sum.decisions, seconds: round(sum.seconds) },
      share: round(sum.seconds / secondsOf(span)),
      ...{ firstAt, lastAt },
      ...{ sentence: row?.sentence ?? '', rowId: row?.id ?? '' },
    } as const;
  });
  return Promise.all(rows);
}

async function answer(context: ApiContext, incoming: Incoming<typeof readWhy>): Promise<Answer> {
  const { operator, caller, profile } = incoming;
  const key = cacheKeys.whyRequests(operator.session?.id ?? operator.token?.id ?? networkOf(caller.ip));
  await requireAllowance(context.cache, key, { most: MAX_A_MINUTE, what: 'The reasons of a span' });
  const span = spanOf(incoming, context.now());
  const { symbol, from, to } = span;
  const { id, accountId } = profile;
  const subjects = [id, `${id}:${symbol}`, `profile:${id}`, accountId, `account:${accountId}`, 'all'];
  const { kysely } = context.database;
  const [parts, changes] = await Promise.all([
    decisionParts(context.database, span),
    changesOf(kysely, { subjects, from, to, limit: MAX_CHANGES }),
  ]);
  const sums = sumsOf(parts);
  const total = sums.reduce((sum, { seconds }) => sum + seconds, 0);
  const [reasons, nearest] = await Promise.all([reasonsOf(context, sums, span), nearestOf(context, parts, span)]);
  return {
    asked: { symbol, from, to },
    covered: {
      from: sums.length === 0 ? null : earliest(sums.map(({ firstAt }) => firstAt)),
      to: sums.length === 0 ? null : latest(sums.map(({ lastAt }) => lastAt)),
      share: round(total / secondsOf(span)),
    },
    decisions: sums.reduce((sum, { decisions }) => sum + decisions, 0),
    ...{ reasons, nearest, timeline: timelineOf(parts, span) },
    changes: changes.map(({ id: rowId, at, ...change }) => ({ rowId, at, ...change })),
  };
}

export function mountWhy({ context, handle }: Routes): void {
  handle(readWhy, (incoming) => answer(context, incoming));
}
