import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import type { Caller } from './caller.ts';
import { networkOf, UNKNOWN } from './client-ip.ts';
import { TokenBuckets } from './token-buckets.ts';
import { type Authenticated, authenticate, type Operator, sentToken, tokenHash } from './session.ts';
import { Turns } from './turns.ts';

interface Rate {
  readonly perSecond: number;
  /** So many at once after a pause. */
  readonly burst: number;
}

/** Requests of any kind: a page asks for some forty files and a dozen answers, and may be opened again and again. */
const REQUESTS = { ofNetwork: { perSecond: 20, burst: 300 }, ofAll: { perSecond: 40, burst: 400 } };
/** What changes something is also written down, and the database must not fill within a night. */
const CHANGES = { ofNetwork: { perSecond: 0.5, burst: 20 }, ofAll: { perSecond: 2, burst: 60 } };
/** Visitors have so many of their requests computed at a time; as many as wait, and no more, come next. */
export const AT_A_TIME = 3;
const WAITING = 100;
const KNOWN_SESSIONS = 1_000;

const keyOf = (token: string): string => tokenHash(token).toString('base64');

type Sender = Pick<Caller, 'ip' | 'cookieNames'>;

/** Counts in two places; what a network has too many does not count for all. */
class Limit {
  readonly #ofNetwork: TokenBuckets;
  readonly #ofAll: TokenBuckets;

  constructor({ ofNetwork, ofAll }: { readonly ofNetwork: Rate; readonly ofAll: Rate }) {
    this.#ofNetwork = new TokenBuckets(ofNetwork);
    this.#ofAll = new TokenBuckets(ofAll);
  }

  require(what: string, { ip }: Pick<Caller, 'ip'>): void {
    const nowMs = performance.now();
    const ownMs = this.#ofNetwork.take(networkOf(ip), nowMs);
    if (ownMs > 0) throw tooMany(`This is a live demo, and your network sends too many ${what}`, ownMs);
    // What did not come through the proxy, such as the script of the nightly reset, has no part in a flood from outside.
    if (ip === UNKNOWN) return;
    const allMs = this.#ofAll.take('all', nowMs);
    if (allMs > 0) throw tooMany(`This is a live demo, and its visitors together send too many ${what}`, allMs);
  }
}

function tooMany(sentence: string, waitMs: number): ApiProblem {
  const seconds = Math.ceil(waitMs / 1000);
  // A body that was not read would be in the way of the next request.
  const headers = { 'retry-after': String(seconds), connection: 'close' };
  const when = seconds === 1 ? 'a second' : `${seconds} seconds`;
  return new ApiProblem('too_many_requests', `${sentence}: try again in ${when}.`, { headers });
}

/**
 * What all visitors of a live demo may ask of this process, so that the operator's own session is answered whatever they
 * do. The counts are in memory: refusing must not cost a query, and a restart may forget them.
 */
export class VisitorLimits {
  readonly #requests = new Limit(REQUESTS);
  readonly #changes = new Limit(CHANGES);
  readonly #turns = new Turns(AT_A_TIME, WAITING);
  /** Hashes of tokens that were a session's when they were last used: their requests are not a visitor's. */
  readonly #sessions = new Set<string>();

  /** Counts a request, before anything is read for it; one with a session that was seen before passes. */
  requireRequest(cookie: string | null, sender: Sender): void {
    if (!this.isSession(cookie, sender)) this.#requests.require('requests', sender);
  }

  /** The limits of a request that acts for `operator`, or for nobody yet; undefined where a session sent it. */
  of(operator: Operator | null, cookie: string | null, sender: Sender): VisitorLimits | undefined {
    if (operator === null) return this.isSession(cookie, sender) ? undefined : this;
    if (operator.session !== null) return undefined;
    const token = sentToken(cookie, sender);
    // A session that has ended is one no longer.
    if (token !== undefined) this.#sessions.delete(keyOf(token));
    return this;
  }

  /** Remembers the session whose cookie an answer sets: that of a sign-in, or one that is prolonged. */
  remember(reply: Headers): void {
    for (const line of reply.getSetCookie()) {
      const token = line.slice(line.indexOf('=') + 1).split(';', 1)[0] ?? '';
      if (token === '') continue;
      const key = keyOf(token);
      this.#sessions.delete(key);
      this.#sessions.add(key);
    }
    for (const oldest of this.#sessions) {
      if (this.#sessions.size <= KNOWN_SESSIONS) break;
      this.#sessions.delete(oldest);
    }
  }

  /** Whether the request carries the token of a session that was seen before. */
  isSession(cookie: string | null, sender: Sender): boolean {
    const token = sentToken(cookie, sender);
    return token !== undefined && this.#sessions.has(keyOf(token));
  }

  requireChange(sender: Sender): void {
    this.#changes.require('changes', sender);
  }

  /** Looks up who sends a request when it is its turn. */
  check<Result>(look: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(look);
  }

  /** Computes an answer for a visitor when it is its turn; the parts of one that is streamed each wait for theirs. */
  async answer<Result>(compute: () => Promise<Result>): Promise<Result | Response> {
    const answer = await this.#turns.take(compute);
    return answer instanceof Response && answer.body !== null ? this.#inTurns(answer, answer.body) : answer;
  }

  #inTurns(answer: Response, body: ReadableStream<Uint8Array>): Response {
    const reader = body.getReader();
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await this.#turns.take(() => reader.read(), { patient: true });
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(stream, answer);
  }
}

/** What a live demo judges requests with that no known session sent. */
export interface Visitors {
  readonly limits: VisitorLimits;
  /** Its connections are not those that a session is checked with: a flood would stand in front of it. */
  readonly guard: ApiContext;
}

interface Sent {
  readonly cookie: string | null;
  readonly caller: Caller;
}

/** The operator that a request acts for, looked up with `guard` or, in a demo, with what visitors have. */
export function identify(
  { guard, visitors }: { readonly guard: ApiContext; readonly visitors: Visitors | undefined },
  { cookie, caller }: Sent,
): Promise<Authenticated | undefined> {
  if (visitors === undefined || visitors.limits.isSession(cookie, caller)) return authenticate(guard, cookie, caller);
  return visitors.limits.check(() => authenticate(visitors.guard, cookie, caller));
}
