import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { eventsOf, lineOf } from './journal-line';
import type { StoredEvents, StoredEvent } from './stored-log';

const newline = 0x0a;

/**
 * The log on disk, one line per append. Appends that arrive during a write are batched into the next one.
 * After a failure it writes nothing more: the last line may be incomplete until the next start truncates it.
 */
export class Journal {
  private lines: string[] = [];
  private lastWrite: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  private constructor(
    private readonly name: string,
    private readonly file: FileHandle,
  ) {}

  /** Opens or creates the journal, and returns its events. */
  static async open(name: string): Promise<{ journal: Journal; history: StoredEvents }> {
    const file = await open(name, 'a+');
    try {
      const content = await file.readFile();
      const wholeLines = content.lastIndexOf(newline) + 1;
      const history = eventsIn(content.subarray(0, wholeLines), name);
      await file.truncate(wholeLines);
      await file.sync();
      await syncFolder(dirname(name));
      return { journal: new Journal(name, file), history };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Resolves when these and all earlier events are on disk. */
  write(events: readonly StoredEvent[]): Promise<void> {
    if (events.length > 0) this.lines.push(lineOf(events));
    if (this.next === undefined) {
      this.next = this.lastWrite.then(() => this.flush());
      this.lastWrite = this.next;
      // Callers that wait for it receive the error; there may be none.
      this.next.catch(() => undefined);
    }
    return this.next;
  }

  /** Finishes pending writes. */
  async close(): Promise<void> {
    await this.lastWrite.catch(() => undefined);
    await this.file.close();
  }

  private async flush(): Promise<void> {
    const text = this.lines.join('');
    this.lines = [];
    this.next = undefined;
    if (text === '') return;
    try {
      await this.file.appendFile(text);
      await this.file.datasync();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The journal ${this.name} cannot be written (${reason}); fix the cause and restart`, { cause });
    }
  }
}

function eventsIn(content: Buffer, name: string): StoredEvents {
  const history: StoredEvent[] = [];
  for (let [start, number] = [0, 1]; start < content.length; number++) {
    const end = content.indexOf(newline, start);
    try {
      history.push(...eventsOf(content.toString('utf8', start, end)));
    } catch (cause) {
      throw new Error(
        `Line ${number} of the journal ${name} is damaged; restore the file or delete it to start empty`,
        {
          cause,
        },
      );
    }
    start = end + 1;
  }
  return history;
}

/** Makes a new file survive a power failure. */
async function syncFolder(name: string): Promise<void> {
  const folder = await open(name, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
