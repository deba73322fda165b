import type { Environment } from '#core/installation/env.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { RecordSink } from '#core/ports/records.ts';
import type { Tracer } from '#core/ports/tracing.ts';
import type { EngineLog } from '#engine/state/ports.ts';
import type { Database } from '#storage/postgres/database.ts';
import type { Announcer } from './announcer.ts';
import type { NotifyDeps } from './notify.ts';
import type { SweepProcess } from './sweep-process.ts';
import type { Shelf } from '#worker/strategy/shelf.ts';
import type { Venues } from './venues.ts';

/** Shared resources of one worker process. */
export interface WorkerContext {
  readonly env: Environment;
  readonly database: Database;
  /** A separate pool for orders and fills, so that background writes of records cannot use up its connections. */
  readonly trading: Database;
  readonly cache: CacheStore;
  readonly records: RecordSink;
  readonly announcer: Announcer;
  readonly venues: Venues;
  readonly log: EngineLog;
  /** Queue and log that messages to the operator go through. */
  readonly notifyDeps: NotifyDeps;
  readonly sweeps: SweepProcess;
  /** The process for sweeps of strategy files, which knows no database. */
  readonly fileSweeps: SweepProcess;
  /** The process for backtests of strategy files, which knows no database. */
  readonly fileBacktests: SweepProcess;
  /** The versions of strategy files. */
  readonly shelf: Shelf;
  /** Name of this worker in leases and heartbeats. */
  readonly slot: string;
  /** Absent while traces are off. */
  readonly tracer: Tracer | undefined;
}
