import { FORBIDDEN_KEYS } from '#core/merge.ts';
import { ApiProblem, type FieldError, invalid } from './problem.ts';

/** Configs, limits and settings are far smaller. */
const USUAL_KIB = 64;
const MAX_DEPTH = 32;
/** The rest of the body is not read, so the connection cannot serve another request. */
const tooLarge = (maxKiB: number): ApiProblem =>
  new ApiProblem('body_too_large', `The body is larger than ${maxKiB} KiB.`, { headers: { connection: 'close' } });

/** Reads a JSON body of at most `maxKiB`; throws a problem that describes the fault. */
export async function readJsonBody(request: Request, maxKiB = USUAL_KIB): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new ApiProblem('wrong_media_type', 'The body must be JSON: send it with content-type application/json.');
  }
  const value = requireJson(await readText(request, maxKiB));
  const errors = [...unstorable(value, '', 0)];
  if (errors.length > 0) throw invalid(errors);
  return value;
}

async function readText(request: Request, maxKiB: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > maxKiB * 1024) throw tooLarge(maxKiB);
  return readBodyText(request.body, maxKiB);
}

/** A body as text, of at most `maxKiB`; throws a problem that describes the fault. */
export async function readBodyText(body: ReadableStream<Uint8Array> | null, maxKiB: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxKiB * 1024) throw tooLarge(maxKiB);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ApiProblem('malformed_json', 'The body is not UTF-8 text.');
  }
}

function requireJson(text: string): unknown {
  if (text.trim() === '') throw new ApiProblem('malformed_json', 'The body is empty, but must be JSON.');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiProblem(
      'malformed_json',
      `The body is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.`,
    );
  }
}

/** Values that JSON allows but the database or later JSON does not: NUL, unpaired surrogates, numbers beyond float64. */
function* unstorable(value: unknown, path: string, depth: number): Generator<FieldError> {
  if (typeof value === 'string') {
    if (!isStorableText(value)) yield { path, message: 'holds a character that cannot be stored' };
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) yield { path, message: 'is too large a number' };
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) yield { path, message: `is nested deeper than ${MAX_DEPTH} levels` };
    else yield* unstorableInside(value, path, depth);
  }
}

function* unstorableInside(value: object, path: string, depth: number): Generator<FieldError> {
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (FORBIDDEN_KEYS.has(key)) yield { path: at, message: 'is a key that no record has' };
    else if (isStorableText(key)) yield* unstorable(inner, at, depth + 1);
    else yield { path, message: 'has a key with a character that cannot be stored' };
  }
}

export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
