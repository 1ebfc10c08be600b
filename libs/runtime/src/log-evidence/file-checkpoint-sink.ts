import { type CheckpointJson, type CheckpointSink, type LogCheckpoint, parseCheckpoint } from '@florin/event-sourcing';
import { open } from 'node:fs/promises';

/** Longer than several lines: a checkpoint has about 600 characters. */
const tailBytes = 16_384;

/** One JSON line per checkpoint in a file that is only appended to. */
export class FileCheckpointSink implements CheckpointSink {
  readonly batchSize = 1_000;
  private hasTornLine = false;

  constructor(private readonly path: string) {}

  async last(): Promise<LogCheckpoint | undefined> {
    const tail = await this.readTail();
    this.hasTornLine = tail !== '' && !tail.endsWith('\n');
    const lines = tail.split('\n').slice(0, -1).reverse();
    for (const line of lines) {
      const checkpoint = checkpointIn(line);
      if (checkpoint !== undefined) return checkpoint;
    }
    if (tail.trim() === '' || (this.hasTornLine && lines.length === 0)) return undefined;
    throw new Error(`${this.path} does not end with a log checkpoint. Set CHECKPOINT_SINK to another file`);
  }

  /** After a crash the last line may be incomplete. It stays, and the whole line follows. */
  async write(checkpoints: readonly CheckpointJson[]): Promise<void> {
    const lines = checkpoints.map((checkpoint) => `${JSON.stringify(checkpoint)}\n`).join('');
    const file = await open(this.path, 'a', 0o640);
    try {
      await file.appendFile(this.hasTornLine ? `\n${lines}` : lines);
      await file.sync();
      this.hasTornLine = false;
    } finally {
      await file.close();
    }
  }

  private async readTail(): Promise<string> {
    const file = await open(this.path, 'a+', 0o640);
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, tailBytes));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      await file.close();
    }
  }
}

function checkpointIn(line: string): LogCheckpoint | undefined {
  try {
    return parseCheckpoint(JSON.parse(line));
  } catch {
    return undefined;
  }
}
