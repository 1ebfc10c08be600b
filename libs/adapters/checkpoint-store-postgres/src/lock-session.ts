import { Client, type ClientConfig, DatabaseError, type QueryResultRow } from 'pg';

/** A member that does not answer for so long is better taken for dead: its shards go to others, its epochs fence it off. */
const timeouts = { keepAlive: true, connectionTimeoutMillis: 5_000, statement_timeout: 8_000, query_timeout: 10_000 };

/** A connection whose session holds advisory locks. When it ends, however it ends, the server frees them all at once. */
export class LockSession {
  private alive = true;
  private lastQuery: Promise<unknown> = Promise.resolve();

  private constructor(private readonly client: Client) {
    const forget = (): void => {
      this.alive = false;
    };
    client.on('error', forget);
    client.on('end', forget);
  }

  static async open(config: ClientConfig): Promise<LockSession> {
    const client = new Client({ ...config, ...timeouts });
    const session = new LockSession(client);
    try {
      await client.connect();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  get isAlive(): boolean {
    return this.alive;
  }

  /** Queries of several memberships come at any time; the connection takes one after another. */
  query<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const rows = this.lastQuery.then(() => this.run<Row>(text, values));
    this.lastQuery = rows.catch(() => undefined);
    return rows;
  }

  async close(): Promise<void> {
    this.alive = false;
    await this.client.end().catch(() => undefined);
  }

  private async run<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      return (await this.client.query<Row>(text, [...values])).rows;
    } catch (error) {
      // Without an answer from the server nobody knows which locks this session holds; a fatal one tells that it has ended.
      if (!(error instanceof DatabaseError) || error.severity === 'FATAL') await this.close();
      throw error;
    }
  }
}

/** The one session of a process, opened anew when it has been lost. */
export class LockSessions {
  private session: LockSession | undefined;
  private opening: Promise<LockSession> | undefined;

  constructor(private readonly config: ClientConfig) {}

  async get(): Promise<LockSession> {
    if (this.session?.isAlive) return this.session;
    this.opening ??= this.open();
    return this.opening;
  }

  async close(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.session?.close();
  }

  private async open(): Promise<LockSession> {
    try {
      this.session = await LockSession.open(this.config);
      return this.session;
    } finally {
      this.opening = undefined;
    }
  }
}
