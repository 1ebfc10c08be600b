import type { Client, Connection, Submittable } from 'pg';
import type { BinaryRows } from './binary-rows';

/** The driver's connection, as far as its types do not mention it. */
interface CopyingConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * `COPY … FROM STDIN` in a single round trip: the rows follow the statement at once, without waiting for the server to ask
 * for them. The driver calls the handlers as the server's answers come.
 */
class CopyRows implements Submittable {
  constructor(
    private readonly text: string,
    private readonly rows: Buffer,
    private readonly settle: (error?: Error) => void,
  ) {}

  submit(connection: Connection): void {
    const copying = connection as CopyingConnection;
    copying.query(this.text);
    copying.sendCopyFromChunk(this.rows);
    copying.endCopyFrom();
  }
  handleCopyInResponse(): void {}
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.settle();
  }
  handleError(error: Error): void {
    this.settle(error);
  }
}

export function copyRows(client: Client, table: string, rows: BinaryRows): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => (error === undefined ? resolve() : reject(error));
    client.query(new CopyRows(`COPY ${table} FROM STDIN (FORMAT binary)`, rows.encoded(), settle));
  });
}
