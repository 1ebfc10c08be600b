import type { Settlement } from '@florin/webhooks-application';

type Value = string | number | undefined;

/** The parameters of `storeAcknowledged`. Times are numbers, which are cheaper at thousands per second. */
export function acknowledgedColumns(settlements: readonly Settlement[]): unknown[] {
  return [
    plain(settlements, ({ delivery }) => delivery.id),
    plain(settlements, ({ at }) => at.getTime()),
    plain(settlements, ({ result }) => result.durationMs),
    plain(settlements, ({ result }) => result.statusCode),
  ];
}

/** The parameters of `storeUnacknowledged` except the last one. */
export function unacknowledgedColumns(settlements: readonly Settlement[]): unknown[] {
  return [
    plain(settlements, ({ delivery }) => delivery.id),
    plain(settlements, ({ delivery }) => delivery.claim),
    plain(settlements, ({ delivery }) => delivery.attempts),
    plain(settlements, ({ status }) => status),
    plain(settlements, ({ nextAttemptAt }) => nextAttemptAt?.toISOString()),
    plain(settlements, ({ at }) => at.toISOString()),
    plain(settlements, ({ result }) => result.durationMs),
    plain(settlements, ({ result }) => result.statusCode),
    plain(settlements, ({ result }) => result.outcome),
    settlements.map(({ result }) => result.error ?? null),
    settlements.map(({ result }) => result.excerpt ?? null),
  ];
}

/** An array literal. The driver would check each value for characters to escape, and these contain none. */
function plain(settlements: readonly Settlement[], valueOf: (settlement: Settlement) => Value): string {
  return `{${settlements.map((settlement) => valueOf(settlement) ?? 'NULL').join()}}`;
}
