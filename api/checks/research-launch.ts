import { venueOf } from '#core/account/account.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { mergePatch } from '#core/merge.ts';
import { type BoundSymbol, listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { readMarket, requireOverride, requireSizing, requireStrategy, type Warning } from './config-check.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { requireListed } from './coin-binding.ts';
import { invalidField } from '#api/frame/problem.ts';
import type { Rules } from '#api/frame/venues.ts';
import { parseWith } from '#api/frame/validate.ts';

export interface Launch {
  readonly profile: ProfileView;
  readonly strategy: AnyStrategy;
  readonly venue: ReturnType<typeof venueOf>;
  /** Trading rules of the venue; undefined while they are not loaded. */
  readonly rules: Rules | undefined;
  /** The profile's config with the override of the launch, before those of the coins. */
  readonly config: unknown;
  readonly coins: readonly { readonly symbol: string; readonly config: unknown }[];
  readonly warnings: Warning[];
}

/**
 * Checks a launch: its override and order sizes, like a save. A stored config that does not parse is returned as a warning,
 * because it is not an error of the launch.
 */
export async function prepareLaunch(
  context: ApiContext,
  { profile, readAccount }: { readonly profile: ProfileView; readonly readAccount: () => Promise<AccountView> },
  request: {
    readonly symbols?: readonly string[] | undefined;
    readonly overrideConfig: Record<string, unknown>;
    /** Starting balance of the test, independent of the account's equity. */
    readonly balance: string;
  },
): Promise<Launch> {
  const { database } = context;
  const account = await readAccount();
  const strategy = requireStrategy(profile.strategyName);
  requireOverride(strategy, profile.config, request.overrideConfig);
  const config = mergePatch(profile.config, request.overrideConfig);
  const known = await listBoundSymbols(database.kysely, profile.id);
  const symbols = [...new Set(request.symbols ?? known.map(({ symbol }) => symbol))];
  if (symbols.length === 0) throw invalidField('symbols', 'names no coin, and the profile has none');
  const market = { ...(await readMarket(context, account)), equity: () => requireDecimal(request.balance) };
  requireListed(symbols, market.rules, 'symbols');
  const bound: BoundSymbol[] = symbols.map((symbol) => ({
    symbol,
    overrideConfig: known.find((coin) => coin.symbol === symbol)?.overrideConfig ?? {},
  }));
  const warnings = requireSizing({ market, strategy, config, part: 'overrideConfig' }, bound);
  const coins = coinConfigs(strategy, config, bound);
  return { profile, strategy, venue: venueOf(account), rules: market.rules, config, coins, warnings };
}

/** Each coin with its merged config, with defaults where it parses. Strategies that plan all coins at once ignore overrides. */
export const coinConfigs = (strategy: AnyStrategy, config: unknown, bound: readonly BoundSymbol[]): Launch['coins'] =>
  bound.map(({ symbol, overrideConfig }) => {
    const merged = strategy.plansBaskets === true ? config : mergePatch(config, overrideConfig);
    const parsed = parseWith(strategy.config, merged);
    return { symbol, config: parsed.success ? parsed.data : merged };
  });
