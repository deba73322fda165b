import type { BusEvent } from '#core/installation/events.ts';
import type { RecordSink } from '#core/ports/records.ts';
import type { TradingStore } from '#core/ports/store.ts';
import type { MarketPort, OpenAccountStream, OpenMarketStream, TradingPort } from '#core/ports/exchange.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';

/** The process log; `event` names what happened, msg says it in words. */
export interface EngineLog {
  info(fields: Readonly<Record<string, unknown>>, msg: string): void;
  warn(fields: Readonly<Record<string, unknown>>, msg: string): void;
  error(fields: Readonly<Record<string, unknown>>, msg: string): void;
}

/** Everything one account's engine reaches the world through. */
export interface EnginePorts {
  readonly store: TradingStore;
  readonly trading: TradingPort;
  readonly market: MarketPort;
  readonly openMarketStream: OpenMarketStream;
  readonly openAccountStream: OpenAccountStream;
  readonly records: RecordSink;
  /** Tells the browsers; never awaited, may drop what is superseded. */
  readonly announce: (event: BusEvent) => void;
  readonly log: EngineLog;
}

/** What the account runs with: read again whenever the operator changed something. */
export interface Roster {
  readonly strategies: ReadonlyMap<string, AnyStrategy>;
  readonly loadProfiles: () => Promise<readonly ProfileToRun[]>;
}
