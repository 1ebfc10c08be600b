import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';

const MOST_LINES = 20;

/** Listens to what a program prints and remembers the end of it, for the message that says why it failed. */
export class LastWords {
  private readonly lines: string[] = [];

  hear(output: Readable, tell: (line: string) => void): void {
    createInterface({ input: output }).on('line', (line) => {
      this.lines.push(line);
      if (this.lines.length > MOST_LINES) this.lines.shift();
      tell(line);
    });
  }

  toString(): string {
    return `Its last words:\n${this.lines.join('\n') || '(none)'}`;
  }
}
