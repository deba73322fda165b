import { isObject } from '#core/merge.ts';
import type { RecordSink } from '#core/ports/records.ts';
import { logRows, ticks } from '#integrations/metrics.ts';

/** Forwards records and counts them for the metrics of this process. */
export const countingSink = (sink: RecordSink): RecordSink => ({
  audit(audit) {
    sink.audit(audit);
    const { kind: decision, reason } = audit.decision;
    ticks.inc({ decision, reason, approval: audit.approval.kind }, audit.ticks);
  },
  log(row) {
    sink.log(row);
    const event = isObject(row.ctx) && typeof row.ctx['event'] === 'string' ? row.ctx['event'] : 'other';
    if (row.count === 1) logRows.inc({ level: row.level, event });
  },
  evidence: (row) => sink.evidence(row),
  flush: () => sink.flush(),
});
