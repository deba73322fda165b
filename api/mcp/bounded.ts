import { isObject } from '#core/merge.ts';

/** Longest answer in characters. */
export const MAX_ANSWER_CHARS = 24_000;
const MAX_TEXT_CHARS = 600;

/** Control and invisible characters can hide text from a person or steer a terminal. */
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;
const visible = (text: string): string => text.replace(HIDDEN, (sign) => (sign === '\n' || sign === '\t' ? sign : ''));

/** The JSON of an answer without hidden characters. */
const answerText = (answer: unknown): string =>
  JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'string' ? visible(value) : value)) ?? 'null';

interface FoundList {
  readonly path: string;
  readonly list: unknown[];
}

function* listsIn(value: unknown, path: string): Generator<FoundList> {
  if (Array.isArray(value)) {
    yield { path, list: value };
    for (const [i, inner] of value.entries()) yield* listsIn(inner, `${path}[${i}]`);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) yield* listsIn(inner, path === '' ? name : `${path}.${name}`);
  }
}

const sizeOf = (value: unknown): number => answerText(value).length;

/** The list whose second half holds most characters. */
function largestList(answer: unknown): FoundList | undefined {
  let found: { size: number; list: FoundList } | undefined;
  for (const candidate of listsIn(answer, '')) {
    if (candidate.list.length < 2) continue;
    const size = sizeOf(candidate.list.slice(Math.ceil(candidate.list.length / 2)));
    if (found === undefined || size > found.size) found = { size, list: candidate };
  }
  return found?.list;
}

const shortened = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (_key, value: unknown) =>
      typeof value === 'string' && value.length > MAX_TEXT_CHARS ? `${value.slice(0, MAX_TEXT_CHARS)}…` : value,
    ),
  );

/**
 * An answer as text of at most `most` characters. Lists lose their last entries, the largest list first, and `leftOut`
 * counts what was removed by path; then long texts are cut.
 */
export function boundedText(answer: unknown, most = MAX_ANSWER_CHARS): string {
  const text = answerText(answer);
  if (text.length <= most) return text;
  const copy: unknown = JSON.parse(JSON.stringify(answer));
  const leftOut: Record<string, number> = {};
  const wrapped = (value: unknown) => ({ answer: value, leftOut });
  for (;;) {
    const result = answerText(wrapped(copy));
    if (result.length <= most) return result;
    const largest = largestList(copy);
    if (largest === undefined) break;
    const kept = Math.floor(largest.list.length / 2);
    leftOut[largest.path] = (leftOut[largest.path] ?? 0) + largest.list.length - kept;
    largest.list.length = kept;
  }
  const last = answerText(wrapped(shortened(copy)));
  return last.length <= most ? last : answerText({ leftOut: { everything: text.length } });
}
