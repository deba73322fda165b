import type { BusEvent } from '#core/installation/events.ts';
import type { RecordSink } from '#core/ports/records.ts';
import type { TradingStore } from '#core/ports/store.ts';
import type { Tracer } from '#core/ports/tracing.ts';
import type { MarketPort, OpenAccountStream, OpenMarketStream, TradingPort } from '#core/ports/exchange.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';

/** The process log; `event` is the code of the event, `msg` a sentence. */
export interface EngineLog {
  info(fields: Readonly<Record<string, unknown>>, msg: string): void;
  warn(fields: Readonly<Record<string, unknown>>, msg: string): void;
  error(fields: Readonly<Record<string, unknown>>, msg: string): void;
}

/** All ports of one account's engine. */
export interface EnginePorts {
  readonly store: TradingStore;
  readonly trading: TradingPort;
  readonly market: MarketPort;
  readonly openMarketStream: OpenMarketStream;
  readonly openAccountStream: OpenAccountStream;
  readonly records: RecordSink;
  /** Publishes to the browsers; never awaited, may drop superseded events. */
  readonly announce: (event: BusEvent) => void;
  readonly log: EngineLog;
  /** Absent while traces are off. */
  readonly tracer?: Tracer | undefined;
}

/** Strategies and profiles of the account; read again after each change by the operator. */
export interface Roster {
  readonly strategies: ReadonlyMap<string, AnyStrategy>;
  readonly loadProfiles: () => Promise<readonly ProfileToRun[]>;
}
