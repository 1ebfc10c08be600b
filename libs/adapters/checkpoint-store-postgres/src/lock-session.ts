import { Client, type ClientConfig, DatabaseError, type QueryResultRow } from 'pg';

/** A member that is silent for this long counts as dead: its shards move to others, and its epochs fence it off. */
const timeouts = { keepAlive: true, connectionTimeoutMillis: 5_000, statement_timeout: 8_000, query_timeout: 10_000 };

/** A connection whose session holds advisory locks. The server releases all of them when the session ends. */
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

  /** Several memberships send queries at any time; the connection processes them one after another. */
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
      // Without a reply, the locks of this session are unknown. A fatal error means that the session has ended.
      if (!(error instanceof DatabaseError) || error.severity === 'FATAL') await this.close();
      throw error;
    }
  }
}

/** The only lock session of a process, reopened after it was lost. */
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
