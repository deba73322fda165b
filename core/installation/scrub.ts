/** Replacement for a list of bind values. */
const SCRUBBED = '[scrubbed]';
const TOO_DEEP = '[too deep]';
const CIRCULAR = '[circular]';
const MAX_DEPTH = 100;
const MAX_CAUSES = 10;

const QUERY_KEYS = ['query', 'sql', 'text'];
const LIST_KEYS = new Set(['params', 'parameters', 'values', 'bindings', 'args']);
/** PostgreSQL puts the offending row, key or input, with its values, into these fields of an error. */
const DETAIL_KEYS = new Set(['detail', 'where']);
const FAILED_QUERY = 'Failed query:';
const TEXT_LIST = /(?:\s|\\n)params:/g;
const FRAME = /^\s*at .*(?::\d+:\d+\)?|<anonymous>\)?|\(native\))$/;

/**
 * Copies a value for a log, without the bind values of database queries: a list next to its query, at any depth, through
 * causes and aggregate errors, and in texts. Errors become plain records {type, message, stack, ...}. It is a backstop
 * for that one shape and for API tokens, not a general redactor: lists without a sibling query stay. Inputs never change.
 */
export function scrub(value: unknown): unknown {
  return copy(value, 0, new Map());
}

/**
 * Storable text of an error (or of any thrown value): message and stack without bind values. The stack includes those of
 * its causes and of the errors of an aggregate.
 */
export function scrubError(error: unknown): { message: string; stack?: string } {
  if (!isErrorLike(error)) return { message: typeof error === 'string' ? scrubText(error) : describeThrown(error) };
  const chain = chainOf(error);
  const message =
    scrubText(error.message) || chain.map((one) => scrubText(one.message)).find((text) => text !== '') || nameOf(error);
  const stacks = chain.map((one) => scrubStack(one)).filter((stack) => stack !== '');
  return stacks.length === 0 ? { message } : { message, stack: stacks.join('\nCaused by: ') };
}

/** An API token, wherever it is written. */
const TOKEN = /tw_[\w-]{49}/g;

/**
 * Hides tokens, and cuts the value list off a text of the form `Failed query: ...\nparams: a,b`, to the end: values may
 * hold anything.
 */
function scrubText(text: string): string {
  const cut = listStart(text);
  const kept = cut === undefined ? text : `${text.slice(0, cut)} ${SCRUBBED}`;
  return kept.replaceAll(TOKEN, 'tw_…');
}

interface ErrorLike {
  readonly name?: unknown;
  readonly message: string;
  readonly stack?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

function copy(value: unknown, depth: number, seen: Map<object, unknown>): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value) || value instanceof Set) return copyList(value, depth, seen);
  const standIn = standInFor(value);
  if (standIn === value) return copyRecord(value, depth, seen);
  // Recorded before its copy, so that a value that contains itself ends.
  seen.set(value, CIRCULAR);
  const result = copy(standIn, depth + 1, seen);
  seen.set(value, result);
  return result;
}

function copyList(list: Iterable<unknown> & object, depth: number, seen: Map<object, unknown>): unknown[] {
  const result: unknown[] = [];
  seen.set(list, result);
  for (const entry of list) result.push(copy(entry, depth + 1, seen));
  return result;
}

/** The JSON view of a value: its toJSON() when it has one; a map as a record, or as its entries. */
function standInFor(value: object): unknown {
  if (value instanceof Map) {
    const entries = [...value];
    return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
  }
  const toJson = isError(value) ? undefined : read(value, 'toJSON');
  if (typeof toJson !== 'function') return value;
  try {
    return Reflect.apply(toJson, value, ['']);
  } catch {
    return value;
  }
}

function copyRecord(value: object, depth: number, seen: Map<object, unknown>): unknown {
  const result: Record<string, unknown> = {};
  seen.set(value, result);
  const put = (key: string, entry: unknown): void => {
    Object.defineProperty(result, key, { value: entry, enumerable: true, writable: true, configurable: true });
  };
  if (isErrorLike(value) && isError(value)) {
    put('type', nameOf(value));
    put('message', scrubText(value.message));
    put('stack', scrubStack(value));
  }
  for (const key of keysOf(value)) {
    if (!Object.hasOwn(result, key)) put(key, copyEntry(value, key, { depth, seen }));
  }
  return result;
}

function copyEntry(owner: object, key: string, at: { depth: number; seen: Map<object, unknown> }): unknown {
  const entry = read(owner, key);
  if (LIST_KEYS.has(key) && Array.isArray(entry) && hasQuery(owner)) return SCRUBBED;
  if (DETAIL_KEYS.has(key) && typeof entry === 'string' && hasRowDetail(owner)) return SCRUBBED;
  if (key === 'stack' && typeof entry === 'string' && isErrorLike(owner)) return scrubStack(owner);
  return copy(entry, at.depth + 1, at.seen);
}

/** True next to a query text, or next to an object with one ({ query: { text, values }, values }). */
function hasQuery(owner: object): boolean {
  return QUERY_KEYS.some((key) => {
    const query = read(owner, key);
    if (typeof query === 'string') return query !== '';
    return (
      typeof query === 'object' && query !== null && QUERY_KEYS.some((inner) => typeof read(query, inner) === 'string')
    );
  });
}

/** These fields hold values next to a query, and in every error of PostgreSQL. */
const hasRowDetail = (owner: object): boolean => isDatabaseError(owner) || (isError(owner) && hasQuery(owner));

/** An error of PostgreSQL, also after it became a plain record. */
const isDatabaseError = (owner: object): boolean =>
  typeof read(owner, 'severity') === 'string' && typeof read(owner, 'code') === 'string';

const isError = (value: object): boolean =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && typeof read(value, 'message') === 'string';
}

function nameOf(error: ErrorLike): string {
  return typeof error.name === 'string' && error.name !== '' ? error.name : 'Error';
}

/** The keys that a log shows: enumerable keys, and the causes of errors, which are not enumerable. */
function keysOf(value: object): string[] {
  const keys = Object.keys(value);
  return isError(value) ? [...keys, ...['cause', 'errors'].filter((key) => Object.hasOwn(value, key))] : keys;
}

/** A property that may be a throwing getter. */
function read(owner: object, key: string): unknown {
  try {
    return Reflect.get(owner, key);
  } catch {
    return undefined;
  }
}

/** Start of the value list of a failed-query text, after `params:`. */
function listStart(text: string): number | undefined {
  const query = text.indexOf(FAILED_QUERY);
  if (query === -1) return undefined;
  TEXT_LIST.lastIndex = query;
  return TEXT_LIST.exec(text) === null ? undefined : TEXT_LIST.lastIndex;
}

/** A stack repeats the message, so the message is cut there. A list that is still present ends at the frames. */
function scrubStack(error: ErrorLike): string {
  if (typeof error.stack !== 'string') return '';
  const { message } = error;
  const clean = message === '' ? error.stack : error.stack.replaceAll(message, () => scrubText(message));
  return cutStack(clean).replaceAll(TOKEN, 'tw_…');
}

function cutStack(stack: string): string {
  const cut = listStart(stack);
  if (cut === undefined) return stack;
  const rest = stack.slice(cut);
  const head = `${stack.slice(0, cut)} ${SCRUBBED}`;
  const already = ` ${SCRUBBED}`;
  if (rest.startsWith(`${already}\n`)) return head + cutStack(rest.slice(already.length));
  const lines = rest.split('\n');
  let frames = lines.length;
  while (frames > 1 && FRAME.test(lines[frames - 1] ?? '')) frames--;
  return [head, ...lines.slice(frames)].join('\n');
}

/** An error, its causes and the errors of aggregates, nearest first, each once, at most MAX_CAUSES. */
function chainOf(error: ErrorLike): ErrorLike[] {
  const chain = new Set<ErrorLike>([error]);
  for (const one of chain) {
    const several: unknown[] = Array.isArray(one.errors) ? one.errors : [];
    const next = [one.cause, ...several];
    for (const inner of next) if (isErrorLike(inner) && chain.size < MAX_CAUSES) chain.add(inner);
  }
  return [...chain];
}

function describeThrown(thrown: unknown): string {
  try {
    return JSON.stringify(scrub(thrown)) ?? String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
