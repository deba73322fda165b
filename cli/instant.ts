const FORM = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** A date such as 2022-06-01 (midnight UTC) or an instant with its zone such as 2022-06-01T12:00:00Z. */
export function readInstant(text: string): Date | undefined {
  const ms = FORM.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms);
}
