import type { AccountInput } from '#paper/exchange/accounts.ts';
import { openTestExchange, type TestExchange } from '#test/paper/test-exchange.ts';
import { randomFrom } from '#core/research/random.ts';
import { report } from './report.ts';

/** How many orders a second the paper exchange matches in process: no sockets, no journal, no parsing. */
const CLIENTS = 50;
const RESTING = 2000;
const WARM_UP = 20_000;
const ORDERS = 200_000;

const accounts: AccountInput[] = Array.from({ length: CLIENTS }, (_, at) => ({
  ...{ name: `client-${at}`, apiKey: `key-${at}`, secret: 'secret' },
  balances: { USDT: '1000000000', BTC: '10000000' },
}));

/** A limit order close to the price, of which about every second one meets another client's. */
function placeOne(exchange: TestExchange, random: () => number): void {
  const side = random() < 0.5 ? 'BUY' : 'SELL';
  const cents = 10_000 + Math.floor(random() * 21) - 10;
  const result = exchange.place({
    ...{ account: `client-${Math.floor(random() * CLIENTS)}`, side, type: 'LIMIT' },
    ...{ price: (cents / 100).toFixed(2), quantity: (0.1 + Math.floor(random() * 100) / 100).toFixed(5) },
  });
  if (result.kind === 'refused') throw new Error(`An order was refused: ${result.message}`);
}

const exchange = openTestExchange(accounts);
const random = randomFrom(7);
for (let at = 0; at < RESTING; at++)
  exchange.place({ account: `client-${at % CLIENTS}`, price: (50 + (at % 4000) / 100).toFixed(2), quantity: '1' });
for (let at = 0; at < WARM_UP; at++) placeOne(exchange, random);
exchange.venue.engine.market('BTCUSDT').quote = undefined;
let fills = 0;
const [startedMs, startedCpu] = [performance.now(), process.cpuUsage()];
for (let at = 0; at < ORDERS; at++) {
  placeOne(exchange, random);
  fills += exchange.reports.filter((one) => one.fill !== null).length;
  exchange.reports.length = 0;
}
const seconds = (performance.now() - startedMs) / 1000;
const { user, system } = process.cpuUsage(startedCpu);
const open = exchange.venue.engine.orders.open.size;
console.table([
  {
    ...{ what: 'limit orders of 50 clients, in process', 'a second': Math.round(ORDERS / seconds) },
    ...{ 'a second of processor time': Math.round((ORDERS / (user + system)) * 1e6) },
    ...{ 'fills an order': (fills / ORDERS).toFixed(2), 'open at the end': open },
  },
]);
report({
  ...{ id: 'matching.orders', what: 'paper exchange, limit orders of 50 clients, in process' },
  ...{ unit: 'a second', values: [ORDERS / seconds] },
});
