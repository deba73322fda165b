import type { z } from 'zod';
import {
  add,
  type Decimal,
  formatDecimal,
  fromNumber,
  multiply,
  ONE,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { accountFigures } from '#api/contract/overview.ts';
import type { AccountFacts } from './blockers.ts';
import type { CoinView } from './coins.ts';

type Figures = z.output<z.ZodObject<typeof accountFigures>>;
type Bound = AccountFacts['coins'][number];

interface FiguresInput extends Pick<AccountFacts, 'account' | 'profiles' | 'coins' | 'wallet' | 'limits'> {
  readonly quoteAsset: string | null;
  readonly equity: Decimal | null;
  /** P&L since midnight. */
  readonly pnl: Decimal;
  /** Prices of the stops on the exchange by `profile id symbol`; null where the exchange trails it. */
  readonly resting: ReadonlyMap<string, string | null>;
  /** Null while the equity is not known, and before the first trade. */
  readonly drawdown: Figures['drawdown'];
}

const sumOf = (values: readonly Decimal[]): Decimal => values.reduce(add, ZERO);

export const stopKey = (profileId: ProfileId, symbol: string): string => `${profileId} ${symbol}`;

/** At least one step that is backed by the wallet: a smaller rest cannot be sold. */
const isPosition = ({ coin: { position, stepSize, costBasis } }: Bound): boolean => {
  const quantity = requireDecimal(position.quantity);
  return quantity > 0n && (costBasis?.note ?? null) === null && quantity >= requireDecimal(stepSize ?? '0');
};

/** The price at which the position is sold: that of the order on the exchange, else that of the worker's plan. */
const stopOf = ({ state }: CoinView, rests: string | null | undefined): Decimal | undefined => {
  const price = rests ?? state?.plan.find(({ name }) => name === 'stop')?.price;
  return price === undefined ? undefined : requireDecimal(price);
};

interface StopsInput extends Pick<FiguresInput, 'resting'> {
  readonly held: readonly Bound[];
  readonly takerFee: number | null;
}

function stopsOf({ held, resting, takerFee }: StopsInput): Figures['stops'] {
  const kept = subtract(ONE, fromNumber(takerFee ?? 0));
  const results = held.flatMap(({ profileId, coin }) => {
    const stop = stopOf(coin, resting.get(stopKey(profileId, coin.symbol)));
    if (stop === undefined) return [];
    const proceeds = multiply(multiply(requireDecimal(coin.position.quantity), stop), kept);
    return [subtract(proceeds, requireDecimal(coin.position.cost))];
  });
  return {
    kept: results.length,
    onExchange: held.filter(({ profileId, coin }) => resting.has(stopKey(profileId, coin.symbol))).length,
    result: results.length === 0 || takerFee === null ? null : formatDecimal(sumOf(results)),
  };
}

function limitsOf({ account, profiles, limits }: FiguresInput): Figures['limits'] {
  return limits.flatMap(({ scope, subject, standings }) => {
    const profile = profiles.find(({ id, enabled }) => id === subject && enabled);
    if (scope === 'profile' && profile === undefined) return [];
    return standings.map(({ limit, used, most, blocked }) => ({
      ...{ limit, used, most, blocked },
      name: profile?.name ?? account.name,
      profileId: profile?.id ?? null,
      share: Number.parseFloat(String(used)) / Number.parseFloat(String(most)),
    }));
  });
}

/** The figures of an account, all from the same coins, prices and wallet. */
export function figuresOf(input: FiguresInput): Figures {
  const { coins, quoteAsset, equity, wallet, pnl, resting, drawdown } = input;
  const counted = coins.filter(({ coin }) => coin.quoteAsset === quoteAsset);
  const held = counted.filter(isPosition);
  const unrealised = sumOf(counted.map(({ coin }) => requireDecimal(coin.position.unrealised ?? '0')));
  const takerFee = wallet?.takerFee ?? null;
  const atMidnight = equity === null ? ZERO : subtract(equity, pnl);
  return {
    pnlToday:
      equity === null
        ? null
        : { amount: formatDecimal(pnl), share: atMidnight > 0n ? toNumber(pnl) / toNumber(atMidnight) : null },
    unrealised: formatDecimal(unrealised),
    exposure: formatDecimal(sumOf(held.map(({ coin }) => requireDecimal(coin.position.value ?? '0')))),
    positions: held.length,
    unpriced: held.filter(({ coin }) => coin.position.value === null).length,
    locked: quoteAsset === null ? null : (wallet?.balances[quoteAsset]?.locked ?? null),
    takerFee,
    stops: stopsOf({ held, resting, takerFee }),
    drawdown,
    limits: limitsOf(input),
  };
}
