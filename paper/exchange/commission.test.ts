import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d } from '#core/amount/decimal.ts';
import { parseAccounts } from './accounts.ts';
import { commissionOn, worthInBnb } from './commission.ts';
import { openBalances, OUTSIDE_OWNER } from './balances.ts';

const PRICES: Readonly<Record<string, string>> = { BNBUSDT: '500', BTCUSDT: '50000', BNBBTC: '0.01', XRPUSDT: '2' };
const lastPrice = (symbol: string) => (PRICES[symbol] === undefined ? undefined : d(PRICES[symbol]));

function feeOf(received: { asset: string; amount: string }, options: { bnb: string; feesInBnb?: boolean }): string {
  const [account] = parseAccounts([
    { name: 'a', apiKey: 'k', secret: 's', takerBps: 10, makerBps: 5, feesInBnb: options.feesInBnb ?? true },
  ]);
  assert.ok(account);
  const balances = openBalances();
  balances.move({ from: OUTSIDE_OWNER, to: 'a', asset: 'BNB', amount: d(options.bnb) });
  const worth = (asset: string, amount: ReturnType<typeof d>) => worthInBnb(lastPrice, asset, amount);
  const money = { asset: received.asset, amount: d(received.amount) };
  const fee = commissionOn(money, false, { account, balances, worthInBnb: worth });
  return `${formatDecimal(fee.amount)} ${fee.asset}`;
}

for (const { name, received, bnb, feesInBnb = true, fee } of [
  { name: 'quote received', received: { asset: 'USDT', amount: '1000' }, bnb: '1', fee: '0.0015 BNB' },
  { name: 'base received', received: { asset: 'BTC', amount: '1' }, bnb: '1', fee: '0.075 BNB' },
  { name: 'an asset without a BNB pair', received: { asset: 'XRP', amount: '500' }, bnb: '1', fee: '0.0015 BNB' },
  { name: 'BNB itself', received: { asset: 'BNB', amount: '1' }, bnb: '1', fee: '0.00075 BNB' },
  { name: 'exactly enough BNB', received: { asset: 'USDT', amount: '1000' }, bnb: '0.0015', fee: '0.0015 BNB' },
  { name: 'too little BNB', received: { asset: 'USDT', amount: '1000' }, bnb: '0.00149999', fee: '1 USDT' },
  { name: 'an asset without a price', received: { asset: 'NEW', amount: '1000' }, bnb: '1', fee: '1 NEW' },
  { name: 'the switch off', received: { asset: 'USDT', amount: '1000' }, bnb: '1', feesInBnb: false, fee: '1 USDT' },
] as const) {
  test(`commission with ${name}: ${fee}`, () => {
    assert.equal(feeOf(received, { bnb, feesInBnb }), fee);
  });
}
