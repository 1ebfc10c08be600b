import type { ScanProgress } from '@florin/event-sourcing';
import type { CliContext } from '../cli-context';

/** How often a log file gets a line. A terminal shows one line that changes. */
const lineEveryMs = 5_000;

export type ProgressOutput = Pick<CliContext, 'report' | 'showStatus'>;

/** Reports how far a scan of the log has come, on stderr. */
export class ScanReporter {
  private readonly startedAt: number;
  private lastLineAt: number;
  private start: Pick<ScanProgress, 'events' | 'readTo'> = { events: 0, readTo: 0n };

  constructor(
    private readonly verb: string,
    private readonly output: ProgressOutput,
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = this.lastLineAt = now();
  }

  /** The scan continues an earlier one, which does not count for its speed. */
  continueFrom({ events, readTo }: Pick<ScanProgress, 'events' | 'readTo'>): void {
    this.start = { events, readTo };
  }

  /** After each page. */
  scanned(progress: ScanProgress): void {
    const text = this.describe(progress);
    if (this.output.showStatus(text)) return;
    const isDue = this.now() - this.lastLineAt >= lineEveryMs;
    if (!isDue && progress.readTo < progress.head) return;
    this.lastLineAt = this.now();
    this.output.report(text);
  }

  /** The work after the scan. */
  continuedWith(text: string): void {
    if (!this.output.showStatus(text)) this.output.report(text);
  }

  /** Clears the line of a terminal. */
  close(): void {
    this.output.showStatus('');
  }

  private describe({ events, readTo, head }: ScanProgress): string {
    const seconds = (this.now() - this.startedAt) / 1_000;
    const percent = Number((readTo * 100n) / head);
    const place = `${this.verb} ${events} events, up to position ${readTo} of ${head}, ${percent} % of the log`;
    if (seconds === 0) return place;
    const left = Math.ceil((seconds * Number(head - readTo)) / Number(readTo - this.start.readTo));
    return `${place}, ${Math.round((events - this.start.events) / seconds)} events/s, about ${left} s left`;
  }
}
