import type { AttemptRecord } from '@florin/webhooks-application';

type Value = string | number | undefined;

/** The parameters of `storeAcknowledged`. Times are numbers, which are cheaper at thousands per second. */
export function acknowledgedColumns(records: readonly AttemptRecord[]): unknown[] {
  return [
    plain(records, ({ delivery }) => delivery.id),
    plain(records, ({ at }) => at.getTime()),
    plain(records, ({ result }) => result.durationMs),
    plain(records, ({ result }) => result.statusCode),
  ];
}

/** The parameters of `storeUnacknowledged` except the last one. */
export function unacknowledgedColumns(records: readonly AttemptRecord[]): unknown[] {
  return [
    plain(records, ({ delivery }) => delivery.id),
    plain(records, ({ delivery }) => delivery.claim),
    plain(records, ({ delivery }) => delivery.attempts),
    plain(records, ({ status }) => status),
    plain(records, ({ nextAttemptAt }) => nextAttemptAt?.toISOString()),
    plain(records, ({ at }) => at.toISOString()),
    plain(records, ({ result }) => result.durationMs),
    plain(records, ({ result }) => result.statusCode),
    plain(records, ({ result }) => result.outcome),
    records.map(({ result }) => result.error ?? null),
    records.map(({ result }) => result.excerpt ?? null),
  ];
}

/** An array literal. The driver would check each value for characters to escape, and these contain none. */
function plain(records: readonly AttemptRecord[], valueOf: (record: AttemptRecord) => Value): string {
  return `{${records.map((record) => valueOf(record) ?? 'NULL').join()}}`;
}
