import type { Backoff } from '../backoff';
import type { RecordedEvent } from '../ports/event-store.port';
import type { ScanProgress } from '../scan-log';
import {
  type ComparisonVisitor,
  compareLogs,
  isCopied,
  type LogComparison,
  pagesOf,
  type ReadableLog,
} from './compare-logs';

/** A log that gets the events of another one. */
export interface CopyTarget extends ReadableLog {
  /** Appends these events in this order. After a failure, events may be stored, up to any one of them. */
  appendInOrder(events: readonly RecordedEvent[]): Promise<void>;
}

export interface LogCopyOptions {
  readonly source: ReadableLog;
  readonly target: CopyTarget;
  /** Called for each comparison; the last one has seen the whole log. */
  readonly visitor: () => Promise<ComparisonVisitor>;
  readonly isTransient: (error: unknown) => boolean;
  readonly backoff: Backoff;
  readonly onCompared?: (progress: ScanProgress) => void;
  /** Where copying begins or continues. */
  readonly onResumed?: (start: Pick<ScanProgress, 'events' | 'readTo'>) => void;
  readonly onCopied?: (progress: ScanProgress) => void;
  readonly signal?: AbortSignal;
}

/** So few events are stored at once that a failure costs little, and progress is shown often. */
const appendedAtOnce = 500;
const maxFailures = 10;

/**
 * Copies what the target lacks until a comparison from the first to the last event finds no difference. The target itself says
 * where to continue, so a copy can be interrupted anywhere.
 */
export async function copyLog(options: LogCopyOptions): Promise<LogComparison> {
  const { source, target, visitor, isTransient, backoff, onCompared, signal } = options;
  for (let failures = 0; ;) {
    signal?.throwIfAborted();
    const compared = await compareLogs(source, target, await visitor(), onCompared);
    if (compared.isComplete) return compared;
    try {
      await copyRest(options, compared);
    } catch (error) {
      failures += 1;
      if (!isTransient(error) || failures === maxFailures) throw error;
      await backoff.wait(failures, signal);
    }
  }
}

async function copyRest(
  { source, target, onResumed, onCopied, signal }: LogCopyOptions,
  compared: LogComparison,
): Promise<void> {
  const { head } = compared;
  let { events } = compared;
  onResumed?.({ events, readTo: compared.copiedTo });
  for await (const page of pagesOf(source, compared.copiedTo, head)) {
    const copied = page.events.filter(isCopied);
    for (let start = 0; start < copied.length; start += appendedAtOnce) {
      signal?.throwIfAborted();
      const next = copied.slice(start, start + appendedAtOnce);
      await target.appendInOrder(next);
      events += next.length;
      onCopied?.({ events, readTo: next.at(-1)!.position, head });
    }
  }
}

/** Consecutive events of one stream. */
export interface StreamRun {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly RecordedEvent[];
}

/** Well below the maximum size of an append of every store. */
const maxRunEvents = 100;
const maxRunCharacters = 200_000;

/** Groups events that can be appended together without changing their order. */
export function streamRuns(events: readonly RecordedEvent[]): readonly StreamRun[] {
  const runs: { stream: string; expectedRevision: number; events: RecordedEvent[]; characters: number }[] = [];
  for (const event of events) {
    const { stream, revision } = event;
    const size = event.data.length + event.metadata.length;
    const last = runs.at(-1);
    if (last?.stream === stream && last.events.length < maxRunEvents && last.characters + size <= maxRunCharacters) {
      last.events.push(event);
      last.characters += size;
    } else runs.push({ stream, expectedRevision: revision - 1, events: [event], characters: size });
  }
  return runs;
}
