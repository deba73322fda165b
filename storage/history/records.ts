import { sql } from 'kysely';
import type { TickAudit } from '#core/decision/audit.ts';
import { cacheKeys, TICK_TRACE_TTL_MS } from '#core/installation/cache-keys.ts';
import type { ProfileId } from '#core/ids.ts';
import type { OrderEvidence } from '#core/order/order-evidence.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { ActionLogRow, RecordSink } from '#core/ports/records.ts';
import { scrubError } from '#core/installation/scrub.ts';
import { RETENTION } from '#core/installation/settings.ts';
import type { Database } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { storedEvidence, type StoredEvidence, writeEvidence } from '#storage/trading/order-evidence.ts';
import { readSetting } from '#storage/postgres/service-settings.ts';

export interface RecordLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface RecordSinkOptions {
  readonly database: Database;
  readonly cache: CacheStore;
  readonly log: RecordLog;
  /** Longest time that a record waits for a batch. */
  readonly flushMs?: () => number;
  /** Longest wait of warnings, errors and the evidence of orders. */
  readonly urgentMs?: number;
  /** Maximum rows per statement. */
  readonly maxRows?: number;
  /** Maximum audits, and maximum log rows, that are buffered while a store is unreachable. */
  readonly maxBuffered?: number;
}

const URGENT_MS = 100;
const RETRY_MS = 1_000;
const CAP_READ_EVERY_MS = 60_000;
const SAME_WARNING_MS = 10_000;
/** Invalid data or a violated constraint: a retry of the same row fails again. */
const POISONED = /^2[23]/;

/** Buffers tick audits and action log rows and writes them in batches; see {@link RecordSink}. */
export function createRecordSink(options: RecordSinkOptions): RecordSink & AsyncDisposable {
  return new RecordBuffer(options);
}

class RecordBuffer implements RecordSink, AsyncDisposable {
  readonly #options: Required<RecordSinkOptions>;
  #audits: TickAudit[] = [];
  #evidence: StoredEvidence[] = [];
  /** By id: a later version of a row replaces one that is still buffered. Warnings and errors are never dropped. */
  readonly #rows = { droppable: new Map<string, ActionLogRow>(), kept: new Map<string, ActionLogRow>() };
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  /** No earlier attempt after a failed one. */
  #retryMs = Number.NEGATIVE_INFINITY;
  #closed = false;
  #flushing: Promise<void> = Promise.resolve();
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  #cap = { entries: RETENTION.defaults.tickTraceEntries, readAtMs: Number.NEGATIVE_INFINITY };

  constructor(options: RecordSinkOptions) {
    this.#options = { flushMs: () => URGENT_MS, urgentMs: URGENT_MS, maxRows: 1_000, maxBuffered: 50_000, ...options };
  }

  audit(audit: TickAudit): void {
    this.#keep(this.#audits, audit);
    this.#schedule(this.#options.flushMs());
  }

  evidence(evidence: OrderEvidence): void {
    this.#keep(this.#evidence, storedEvidence(evidence));
    this.#schedule(this.#options.urgentMs);
  }

  log(row: ActionLogRow): void {
    const { droppable, kept } = this.#rows;
    const important = row.level === 'warn' || row.level === 'error';
    (important ? droppable : kept).delete(row.id);
    (important ? kept : droppable).set(row.id, row);
    const oldest = droppable.size + kept.size > this.#options.maxBuffered ? droppable.keys().next() : undefined;
    if (oldest?.done === false && droppable.delete(oldest.value)) this.#dropped++;
    this.#schedule(important ? this.#options.urgentMs : this.#options.flushMs());
  }

  /** Writes all buffered records. Rejects when a store fails; the records stay buffered then. */
  flush(): Promise<void> {
    const next = this.#flushing.then(() => this.#writeAll());
    this.#flushing = next.catch(() => {});
    return next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.flush().catch((error: unknown) => {
      const { message } = scrubError(error);
      this.#options.log.error(
        { event: 'records_lost', ...this.#waiting() },
        `Stopped with unwritten records: ${message}`,
      );
    });
  }

  #keep<Kept>(list: Kept[], record: Kept): void {
    list.push(record);
    // Drops a tenth at once, so that an outage does not move the whole buffer for every record.
    const { maxBuffered } = this.#options;
    if (list.length > maxBuffered) this.#dropped += list.splice(0, Math.ceil(maxBuffered / 10)).length;
  }

  #schedule(inMs: number): void {
    // After the last flush no store is left, and a timer would keep the process alive.
    if (this.#closed) return;
    const nowMs = performance.now();
    const dueMs = Math.max(nowMs + inMs, this.#retryMs);
    if (this.#timer !== undefined && this.#dueMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.flush().catch((error: unknown) => this.#retryLater(error));
    }, dueMs - nowMs);
  }

  #retryLater(error: unknown): void {
    const now = performance.now();
    if (now - this.#warnedAtMs > SAME_WARNING_MS) {
      this.#warnedAtMs = now;
      const { message } = scrubError(error);
      this.#options.log.warn(
        { event: 'records_waiting', ...this.#waiting() },
        `Records could not be written and will be retried: ${message}`,
      );
    }
    this.#retryMs = now + RETRY_MS;
    this.#schedule(RETRY_MS);
  }

  #waiting(): { audits: number; evidence: number; rows: number } {
    return {
      audits: this.#audits.length,
      evidence: this.#evidence.length,
      rows: this.#rows.droppable.size + this.#rows.kept.size,
    };
  }

  async #writeAll(): Promise<void> {
    if (this.#dropped > 0) {
      this.#options.log.warn(
        { event: 'records_dropped', count: this.#dropped },
        `${this.#dropped} records were dropped, oldest first, because their store was unreachable for too long.`,
      );
      this.#dropped = 0;
    }
    const outcomes = await Promise.allSettled([this.#writeRows(), this.#writeEvidence(), this.#writeAudits()]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #writeRows(): Promise<void> {
    const rows = [...this.#rows.kept.values(), ...this.#rows.droppable.values()];
    for (let i = 0; i < rows.length; i += this.#options.maxRows) {
      const batch = rows.slice(i, i + this.#options.maxRows);
      await this.#writeBatch(batch);
      // A version that arrived meanwhile stays for the next flush.
      for (const map of [this.#rows.kept, this.#rows.droppable]) {
        for (const row of batch) if (map.get(row.id) === row) map.delete(row.id);
      }
    }
  }

  /** One statement. Bisection finds and reports a row that can never be stored, so that it does not block others. */
  async #writeBatch(batch: readonly ActionLogRow[]): Promise<void> {
    try {
      await upsertRows(this.#options.database, batch);
    } catch (error) {
      if (!isPoisoned(error)) throw error;
      if (batch.length === 1) {
        const { message } = scrubError(error);
        this.#options.log.error(
          { event: 'record_refused', id: batch[0]?.id },
          `A log row cannot be stored: ${message}`,
        );
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await this.#writeBatch(batch.slice(0, half));
      await this.#writeBatch(batch.slice(half));
    }
  }

  async #writeEvidence(): Promise<void> {
    while (this.#evidence.length > 0) {
      const batch = this.#evidence.slice(0, this.#options.maxRows);
      await writeEvidence(this.#options.database, batch).catch((error: unknown) => {
        if (!isPoisoned(error)) throw error;
        const { message } = scrubError(error);
        this.#options.log.error({ event: 'record_refused' }, `Evidence of orders cannot be stored: ${message}`);
      });
      const written = new Set(batch);
      this.#evidence = this.#evidence.filter((record) => !written.has(record));
    }
  }

  async #writeAudits(): Promise<void> {
    const audits = this.#audits;
    this.#audits = [];
    const byProfile = Map.groupBy(audits, (audit) => audit.profileId);
    const written = new Set<TickAudit>();
    try {
      await this.#readCap();
      for (const [profileId, list] of byProfile) await this.#writeTrace(profileId, list, written);
    } catch (error) {
      this.#audits = [...audits.filter((audit) => !written.has(audit)), ...this.#audits];
      throw error;
    }
  }

  /** Reads how many audits the operator keeps; keeps the old value while the database is unreachable. */
  async #readCap(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#cap.readAtMs < CAP_READ_EVERY_MS) return;
    const retention = await readSetting(this.#options.database.kysely, RETENTION).catch(() => undefined);
    this.#cap = { entries: retention?.tickTraceEntries ?? this.#cap.entries, readAtMs: nowMs };
  }

  async #writeTrace(profileId: ProfileId, audits: readonly TickAudit[], written: Set<TickAudit>): Promise<void> {
    for (let i = 0; i < audits.length; i += this.#options.maxRows) {
      const batch = audits.slice(i, i + this.#options.maxRows);
      const texts = batch.map((audit) => JSON.stringify(audit));
      const limits = { cap: this.#cap.entries, ttlMs: TICK_TRACE_TTL_MS };
      await this.#options.cache.append(cacheKeys.tickTrace(profileId), texts, limits);
      for (const audit of batch) written.add(audit);
    }
  }
}

/** Skips rows of a profile that was deleted meanwhile. An older version never replaces a newer one. */
async function upsertRows({ kysely }: Database, rows: readonly ActionLogRow[]): Promise<void> {
  const records = rows.map((row) => ({
    id: row.id,
    profile_id: row.profileId,
    symbol: row.symbol,
    level: row.level,
    msg: row.msg,
    ctx: row.ctx ?? {},
    count: row.count,
    first_at: row.firstAt,
    last_at: row.lastAt,
  }));
  await sql`
    insert into action_logs (id, profile_id, symbol, level, msg, ctx, count, first_at, last_at)
    select r.id, r.profile_id, r.symbol, r.level, r.msg, r.ctx, r.count, r.first_at, r.last_at
    from jsonb_to_recordset(${jsonText(records)}::jsonb) as r (
      id uuid, profile_id uuid, symbol text, level text, msg text, ctx jsonb, count bigint, first_at timestamptz, last_at timestamptz
    )
    join profiles on profiles.id = r.profile_id
    on conflict (id) do update set
      level = excluded.level, msg = excluded.msg, ctx = excluded.ctx, count = excluded.count, last_at = excluded.last_at
    where excluded.count >= action_logs.count`.execute(kysely);
}

const isPoisoned = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && POISONED.test(error.code);
