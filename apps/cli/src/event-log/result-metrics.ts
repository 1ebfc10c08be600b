import { loadPrometheus, type Series } from '@florin/runtime/tools';
import { renameSync, writeFileSync } from 'node:fs';

/** The outcome of a check of the log. Without a result there are no numbers. */
export interface CheckResult {
  readonly exitCode: 0 | 1 | 3;
  readonly events?: number;
  readonly findings?: number;
}

const timeoutMs = 10_000;

/**
 * Writes the metrics of a result to a file, for the textfile collector of the node exporter, or sends them to an HTTP address,
 * such as a Pushgateway. A failure is reported and does not change the result.
 */
export async function publishResult(
  target: string | undefined,
  command: string,
  result: CheckResult,
  report: (text: string) => void,
): Promise<void> {
  if (target === undefined) return;
  try {
    const { openPrometheus } = await loadPrometheus();
    const text = await openPrometheus('florin', seriesOf(command, result))();
    if (/^https?:/i.test(target)) await send(target, text);
    else replaceFile(target, text);
  } catch (error) {
    report(`The metrics were not written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function seriesOf(command: string, { exitCode, events, findings }: CheckResult): readonly Series[] {
  const gauge = (name: string, help: string, value: number | undefined): Series[] =>
    value === undefined ? [] : [{ kind: 'gauge', name, help, read: () => [{ value, labels: { command } }] }];
  return [
    ...gauge('florin_check_exit_code', '0 correct, 1 problems found, 3 could not run.', exitCode),
    ...gauge('florin_check_findings', 'Problems that the check has found.', findings),
    ...gauge('florin_check_events', 'Events that the check has read.', events),
    ...gauge('florin_check_ended_timestamp_seconds', 'When the check ended.', Math.floor(Date.now() / 1_000)),
  ];
}

async function send(url: string, body: string): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'PUT', body, headers: { 'Content-Type': 'text/plain' }, signal });
  if (!response.ok) throw new Error(`the address returned ${response.status}`);
}

/** A collector never reads a part of the file. */
function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o644 });
  renameSync(draft, path);
}
