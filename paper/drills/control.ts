import { createServer, type IncomingMessage, type Server } from 'node:http';
import { z } from 'zod';
import { formatDecimal, isOnStep, subtract, toNumber, divide, ZERO } from '#core/amount/decimal.ts';
import { amount } from '#paper/exchange/accounts.ts';
import { controlRefusal } from './control-guard.ts';
import {
  banAddress,
  banRequest,
  changeKey,
  changeProfile,
  changeSymbol,
  ControlError,
  depthChange,
  freezeDepth,
  keyChange,
  profileChange,
  readChange,
  silence,
  symbolChange,
  wipe,
} from './control-actions.ts';
import { type EventFaults, eventFaultList } from '#paper/faults/event-faults.ts';
import { faultList } from '#paper/faults/faults.ts';
import { ticksOf } from '#paper/market/quote.ts';
import type { Following } from '#paper/relay/relay.ts';
import { playTrade } from '#paper/exchange/matching.ts';
import { type MetricsInput, openMetrics } from './metrics.ts';
import { advanceTo } from '#paper/exchange/market-loop.ts';
import { OUTSIDE_OWNER, totalsOf } from '#paper/exchange/balances.ts';
import { BodyTooLargeError, readBody } from '#paper/rest/server-request.ts';
import type { UserStreams } from '#paper/streams/user-streams.ts';
import { catchUp, commit, activate, type Venue } from '#paper/exchange/venue.ts';

/** The control plane for tests and drills: a separate port, reachable only from this machine. */
interface ControlPlane extends MetricsInput {
  readonly eventFaults: EventFaults;
  /** The other exchange that the market follows. */
  readonly following: Following | undefined;
  readonly users: UserStreams;
  /** Every request except that for the metrics must carry it. */
  readonly token: string;
}

const advanceRequest = z.union([z.object({ ms: z.number().min(0) }), z.object({ toIso: z.string() })]);
const tradeRequest = z.object({ symbol: z.string(), price: amount, quantity: amount });
const balancesRequest = z.object({ account: z.string(), balances: z.record(z.string(), amount) });

type Handler = (control: ControlPlane, body: unknown) => unknown;
const HANDLERS: Readonly<Record<string, Handler>> = {
  'POST /clock/advance': (control, body) => moveClock(control, parse(advanceRequest, body)),
  'POST /trade': (control, body) => injectTrade(control, parse(tradeRequest, body)),
  'POST /balances': (control, body) => setBalances(control, parse(balancesRequest, body)),
  'GET /log': (control) => control.context.log.list(),
  'DELETE /log': (control) => (control.context.log.clear(), {}),
  'POST /streams/drop': (control) => ({ dropped: control.sockets.drop() }),
  'POST /streams/shutdown': (control) => ({ told: control.sockets.announceShutdown() }),
  'POST /streams/expire': (control) => ({ ended: control.sockets.expire() }),
  'POST /streams/silence': (control, body) => (control.sockets.silencePings(parse(silence, body).silent), {}),
  'GET /profile': (control) => control.context.environment,
  'POST /profile': (control, body) => changeProfile(control, parse(profileChange, body)),
  'POST /wipe': (control) => wipe(control),
  'POST /symbols': (control, body) => changeSymbol(control, parse(symbolChange, body)),
  'POST /keys': (control, body) => changeKey(control, parse(keyChange, body)),
  'POST /bans': (control, body) => banAddress(control, parse(banRequest, body)),
  'DELETE /bans': (control) => (control.context.limits.reset(), {}),
  'POST /faults': (control, body) => (control.context.faults.add(parse(faultList, body)), {}),
  'DELETE /faults': (control) => (control.context.faults.clear(), {}),
  'POST /faults/events': (control, body) => (control.eventFaults.add(parse(eventFaultList, body)), {}),
  'DELETE /faults/events': (control) => (control.eventFaults.clear(), {}),
  'POST /faults/streams': (control, body) => (control.streams.faults.add(parse(eventFaultList, body)), {}),
  'DELETE /faults/streams': (control) => (control.streams.faults.clear(), {}),
  'POST /depth': (control, body) => freezeDepth(control, parse(depthChange, body)),
  'POST /reads': (control, body) => (Object.assign(control.venue.testControls, parse(readChange, body)), {}),
  'GET /source': ({ venue, following }) => ({ name: venue.source.name, ...following?.state }),
  'GET /conservation': (control) => conservation(control.venue),
};

export function createControl(control: ControlPlane): Server {
  const metrics = openMetrics(control);
  return createServer((request, response) => {
    const isMetrics = request.method === 'GET' && request.url === '/metrics';
    const refusal = controlRefusal(request, isMetrics ? null : control.token);
    if (refusal !== undefined) {
      const { status, error } = refusal;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
    if (isMetrics) {
      void metrics.metrics().then((text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text));
      return;
    }
    handle(control, request).then(
      ({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      },
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        const status = error instanceof BodyTooLargeError ? 413 : 500;
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error: message }));
      },
    );
  });
}

async function handle(control: ControlPlane, request: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const handler = HANDLERS[`${request.method} ${path}`];
  if (handler === undefined)
    return { status: 404, body: { error: `The control port has no ${request.method} ${path}.` } };
  const text = await readBody(request);
  try {
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: 200, body: await handler(control, body) };
  } catch (error) {
    if (error instanceof ControlError || error instanceof SyntaxError)
      return { status: 400, body: { error: error.message } };
    throw error;
  }
}

function parse<Value>(schema: z.ZodType<Value, unknown>, body: unknown): Value {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ControlError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
}

async function moveClock({ venue }: ControlPlane, request: z.output<typeof advanceRequest>): Promise<unknown> {
  if (venue.clock.moveTo === undefined)
    throw new ControlError('The clock runs automatically: start with --clock virtual:ISO to move it.');
  const untilMs = 'ms' in request ? venue.clock.nowMs() + request.ms : Date.parse(request.toIso);
  if (Number.isNaN(untilMs)) throw new ControlError('toIso is not an ISO 8601 date.');
  await advanceTo(venue, untilMs);
  return { marketTime: venue.clock.nowMs() };
}

function injectTrade({ venue }: ControlPlane, { symbol, price, quantity }: z.output<typeof tradeRequest>): unknown {
  const market = activate(venue, symbol);
  if (market === undefined) throw new ControlError(`${symbol} is not listed.`);
  const { rules } = market.listing;
  if (price <= 0n || !isOnStep(price, rules.price.tick))
    throw new ControlError(`price must be a multiple of ${formatDecimal(rules.price.tick)}.`);
  if (quantity <= 0n || !isOnStep(quantity, rules.lot.step))
    throw new ControlError(`quantity must be a multiple of ${formatDecimal(rules.lot.step)}.`);
  const atMs = catchUp(venue);
  const takerBuys = market.lastPrice === undefined || price >= market.lastPrice;
  const lots = toNumber(divide(quantity, rules.lot.step));
  playTrade(venue.engine, symbol, { atMs, ticks: ticksOf(price, market.listing), lots, takerBuys, injected: true });
  commit(venue, atMs);
  return { id: market.lastTradeId, marketTime: atMs };
}

function setBalances({ venue, users }: ControlPlane, request: z.output<typeof balancesRequest>): unknown {
  if (!venue.accounts.some((account) => account.name === request.account))
    throw new ControlError(`There is no account "${request.account}".`);
  const atMs = catchUp(venue);
  const { balances } = venue.engine;
  const moved = Object.entries(request.balances).map(([asset, wanted]) => {
    const amount = subtract(wanted, balances.balance(request.account, asset).free);
    balances.move({ from: OUTSIDE_OWNER, to: request.account, asset, amount });
    return { asset, amount };
  });
  commit(venue, atMs);
  for (const change of moved) if (change.amount !== ZERO) users.transfer(request.account, change, atMs);
  return {};
}

const conservation = (venue: Venue): Record<string, unknown>[] =>
  totalsOf(venue.engine.balances.rows()).map((total) => ({
    asset: total.asset,
    accounts: formatDecimal(total.accounts),
    fees: formatDecimal(total.fees),
    market: formatDecimal(total.market),
    deposits: formatDecimal(total.deposits),
    difference: formatDecimal(total.difference),
  }));
