import type { CacheStore } from '#core/ports/cache.ts';
import type { Environment } from '#core/installation/env.ts';
import type { Tracer } from '#core/ports/tracing.ts';
import type { UserId } from '#core/ids.ts';
import type { Log } from '#integrations/log.ts';
import type { Database } from '#storage/postgres/database.ts';
import type { Queue } from '#storage/jobs/queue.ts';
import type { CachedValues } from './cache-snapshot.ts';
import type { Paper } from './paper.ts';
import type { SessionCache } from './session-cache.ts';
import type { Venues } from './venues.ts';

export interface ApiSettings {
  /** Exact origins of the pages that may talk to this api. */
  readonly origins: readonly string[];
  readonly liveDemo: boolean;
  readonly sha: string;
  readonly bootedAt: Date;
  /** Folder of the worker's backups. */
  readonly backupDir: string | undefined;
  /** Folder of stored candles, one subfolder per venue. */
  readonly candleDir: string;
  /** Folder of the built web app; no pages without it. */
  readonly webDir: string | undefined;
  /** Whether notifiers and the AI provider may be at a private address. */
  readonly outgoingPrivate: Environment['OUTGOING_PRIVATE'];
  /** Key pair of the account that a fresh install starts with. */
  readonly paperKey: { readonly apiKey: string; readonly secret: string } | null;
}

/** Dependencies of every operation. */
export interface ApiContext {
  readonly settings: ApiSettings;
  readonly database: Database;
  readonly cache: CacheStore;
  readonly queue: Queue;
  readonly venues: Venues;
  readonly paper: Paper;
  readonly log: Log;
  /** Absent while traces are off. */
  readonly tracer?: Tracer | undefined;
  /** Absent where each check of a session reads the database. */
  readonly sessions?: Pick<SessionCache, 'read' | 'clear'>;
  readonly now: () => Date;
  /** The operator that requests without a session act as, resolved once at boot; null unless this is a live demo. */
  readonly demoUserId: UserId | null;
}

/** Dependencies of an answer; its cached values may have been read together. */
export interface ReadContext extends Omit<ApiContext, 'cache'> {
  readonly cache: CachedValues;
}

/** Context of the server. */
export interface ServerContext extends ApiContext {
  /** Database of the session check, kill switches, status and health, which answer even while every other query waits. */
  readonly reserved: Database;
}
