import type { ApiContext } from '#api/frame/context.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import type { Caller } from './caller.ts';
import { networkOf, UNKNOWN } from './client-ip.ts';
import { TokenBuckets } from './token-buckets.ts';
import { type Authenticated, authenticate, isVisitor, type Operator, sentToken, tokenHash } from './session.ts';
import { Semaphore } from './semaphore.ts';

interface Rate {
  readonly perSecond: number;
  /** Maximum at once after a pause. */
  readonly burst: number;
}

/** All requests: a page loads about forty files and a dozen answers, and may be reloaded often. */
const REQUESTS = { ofNetwork: { perSecond: 20, burst: 300 }, ofAll: { perSecond: 40, burst: 400 } };
/** Changes: they are stored, and the database must not fill within a night. */
const CHANGES = { ofNetwork: { perSecond: 0.5, burst: 20 }, ofAll: { perSecond: 2, burst: 60 } };
/** Maximum concurrent requests of visitors; at most WAITING further ones queue. */
export const MAX_CONCURRENT = 3;
const MAX_WAITING = 100;
const KNOWN_SESSIONS = 1_000;

const keyOf = (token: string): string => tokenHash(token).toString('base64');

type Sender = Pick<Caller, 'ip' | 'cookieNames'>;

/** Counts per network and in total; requests above a network's limit do not count towards the total. */
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
    // A request without the proxy, such as the nightly reset script, is not part of a flood from outside.
    if (ip === UNKNOWN) return;
    const allMs = this.#ofAll.take('all', nowMs);
    if (allMs > 0) throw tooMany(`This is a live demo, and its visitors together send too many ${what}`, allMs);
  }
}

function tooMany(sentence: string, waitMs: number): ApiProblem {
  const seconds = Math.ceil(waitMs / 1000);
  // An unread body would block the next request on the connection.
  const headers = { 'retry-after': String(seconds), connection: 'close' };
  const when = seconds === 1 ? 'a second' : `${seconds} seconds`;
  return new ApiProblem('too_many_requests', `${sentence}: try again in ${when}.`, { headers });
}

/**
 * Rate limits for all visitors of a live demo, so that the operator's session is always answered. The counts are in memory:
 * a refusal must not cost a query, and a restart may reset them.
 */
export class VisitorLimits {
  readonly #requests = new Limit(REQUESTS);
  readonly #changes = new Limit(CHANGES);
  readonly #turns = new Semaphore(MAX_CONCURRENT, MAX_WAITING);
  /** Hashes of tokens that belonged to a session at their last use: their requests are not limited. */
  readonly #sessions = new Set<string>();

  /** Counts a request before any query; a request with a known session passes. */
  requireRequest(cookie: string | null, sender: Sender): void {
    if (!this.isSession(cookie, sender)) this.#requests.require('requests', sender);
  }

  /** The limits of a request of `operator` (null before sign-in); undefined for a request of a session. */
  of(operator: Operator | null, cookie: string | null, sender: Sender): VisitorLimits | undefined {
    if (operator === null) return this.isSession(cookie, sender) ? undefined : this;
    if (!isVisitor(operator)) return undefined;
    const token = sentToken(cookie, sender);
    // The session has ended.
    if (token !== undefined) this.#sessions.delete(keyOf(token));
    return this;
  }

  /** Remembers the session whose cookie a response sets: a new or a prolonged one. */
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

  /** Whether the request has the token of a known session. */
  isSession(cookie: string | null, sender: Sender): boolean {
    const token = sentToken(cookie, sender);
    return token !== undefined && this.#sessions.has(keyOf(token));
  }

  requireChange(sender: Sender): void {
    this.#changes.require('changes', sender);
  }

  /** Identifies the sender of a request when its turn comes. */
  check<Result>(look: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(look);
  }

  /** Computes an answer for a visitor when its turn comes; each part of a streamed answer waits for its turn too. */
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

/** Dependencies for requests of a live demo without a known session. */
export interface Visitors {
  readonly limits: VisitorLimits;
  /** Its connections are separate from those of the session check, which a flood would block. */
  readonly guard: ApiContext;
}

interface Sent {
  readonly cookie: string | null;
  readonly caller: Caller;
}

/** The operator of a request, looked up with `guard` or, in a demo, with the visitors' connections. */
export function identifyOperator(
  { guard, visitors }: { readonly guard: ApiContext; readonly visitors: Visitors | undefined },
  { cookie, caller }: Sent,
): Promise<Authenticated | undefined> {
  if (visitors === undefined || visitors.limits.isSession(cookie, caller)) return authenticate(guard, cookie, caller);
  return visitors.limits.check(() => authenticate(visitors.guard, cookie, caller));
}
