import type { RecordedEvent } from '@florin/event-sourcing';
import type { ArchivedSegment } from './archive/archived-log';

/** Some events of one stream in order. `isLast` means that the stream had no more when it was read. */
export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  readonly isLast: boolean;
  /** The stream continues in an archive file. Then `events` is empty. */
  readonly archived?: ArchivedSegment;
}

export interface PageRequest {
  readonly stream: string;
  readonly fromRevision: number;
}

interface QueuedRead extends PageRequest {
  readonly resolve: (page: StreamPage) => void;
  readonly reject: (error: unknown) => void;
}

const maxStreamsPerRead = 256;

/**
 * Requests that arrive while reads are in progress share the next one. A busy service reads hundreds of short streams
 * at the same moment, most of which do not exist: one statement serves all of them for little more than the cost of
 * one.
 */
export class StreamReadBatcher {
  private waiting: QueuedRead[] = [];
  private activeReads = 0;
  private scheduled = false;

  constructor(
    private readonly read: (wanted: readonly PageRequest[]) => Promise<readonly StreamPage[]>,
    private readonly maxConcurrentReads = 2,
  ) {}

  page(stream: string, fromRevision: number): Promise<StreamPage> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ stream, fromRevision, resolve, reject });
      if (this.scheduled) return;
      this.scheduled = true;
      setImmediate(() => {
        this.scheduled = false;
        this.start();
      });
    });
  }

  private start(): void {
    while (this.waiting.length > 0 && this.activeReads < this.maxConcurrentReads) {
      void this.readBatch(this.waiting.splice(0, maxStreamsPerRead));
    }
  }

  private async readBatch(batch: readonly QueuedRead[]): Promise<void> {
    this.activeReads += 1;
    try {
      const pages = await this.read(batch);
      batch.forEach(({ resolve }, index) => resolve(pages[index]!));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.activeReads -= 1;
      this.start();
    }
  }
}
