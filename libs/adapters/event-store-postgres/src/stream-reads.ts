import type { RecordedEvent } from '@florin/event-sourcing';

/** Some events of one stream in order. `isLast` tells that the stream had no more when it was read. */
export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  readonly isLast: boolean;
}

export interface WantedPage {
  readonly stream: string;
  readonly fromRevision: number;
}

interface Waiting extends WantedPage {
  readonly resolve: (page: StreamPage) => void;
  readonly reject: (error: unknown) => void;
}

const mostInOneRead = 256;

/**
 * Whoever wants to read a stream while another read is under way waits for it, and all who waited share the next one. A
 * busy service asks for hundreds of short streams at the same moment, most of which do not even exist: one statement
 * answers all of them at hardly more than the price of one.
 */
export class StreamReads {
  private waiting: Waiting[] = [];
  private underWay = 0;
  private scheduled = false;

  constructor(
    private readonly read: (wanted: readonly WantedPage[]) => Promise<readonly StreamPage[]>,
    private readonly mostUnderWay = 2,
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
    while (this.waiting.length > 0 && this.underWay < this.mostUnderWay) {
      void this.readTogether(this.waiting.splice(0, mostInOneRead));
    }
  }

  private async readTogether(together: readonly Waiting[]): Promise<void> {
    this.underWay += 1;
    try {
      const pages = await this.read(together);
      together.forEach(({ resolve }, index) => resolve(pages[index]!));
    } catch (error) {
      for (const { reject } of together) reject(error);
    } finally {
      this.underWay -= 1;
      this.start();
    }
  }
}
