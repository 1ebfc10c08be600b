import type { ClientBase, Connection, Submittable } from 'pg';

/** The part of the driver's connection that its types do not declare. */
interface CopyingConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * Runs `COPY … FROM STDIN`, or statements without results that end in it. It is a single round trip: the rows follow the statement at once,
 * without waiting for the server to ask for them.
 */
export function copyRows(client: ClientBase, statement: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => (error === undefined ? resolve() : reject(error));
    client.query(new CopiedRows(statement, rows, settle));
  });
}

/** The driver calls the handlers for the server's messages, and applies its query timeout to `callback`. */
class CopiedRows implements Submittable {
  constructor(
    /** Of the statement. */
    readonly text: string,
    private readonly rows: Buffer,
    public callback: (error?: Error) => void,
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
    this.callback();
  }
  handleError(error: Error): void {
    this.callback(error);
  }
}
