import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DatabaseConnection,
  type EmbeddedPostgres,
  ensureDatabase,
  startEmbeddedPostgres,
} from '@florin/database';
import { TcpProxy } from '@florin/dev-platform';

/** Every service has several pools, and faults leave connections behind that are closed only after a while. */
const settings = { max_connections: '400', shared_buffers: '64MB' };

/** A Postgres server that can be killed, behind a proxy that the product connects to. */
export class ChaosDatabase {
  private killed = false;

  private constructor(
    private readonly dataDirectory: string,
    private server: EmbeddedPostgres,
    readonly proxy: TcpProxy,
    /** The address for the product, through the proxy. */
    readonly url: string,
  ) {}

  static async start(dataDirectory: string): Promise<ChaosDatabase> {
    const server = await startEmbeddedPostgres({ dataDirectory, settings });
    await ensureDatabase(server.connection, 'florin');
    const folder = join(dataDirectory, 'database-proxy');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
    const name = '.s.PGSQL.5432';
    const upstream = { path: join(String(server.connection.host), name) };
    const proxy = await TcpProxy.start({ listen: { path: join(folder, name) }, upstreams: () => [upstream] });
    const url = `postgres://florin@localhost/florin?host=${encodeURIComponent(folder)}`;
    return new ChaosDatabase(dataDirectory, server, proxy, url);
  }

  /** A direct connection for the checks, without the proxy. */
  get connection(): DatabaseConnection {
    return { ...this.server.connection, database: 'florin' };
  }

  /** Another database on the same server. */
  another(name: string): Promise<DatabaseConnection> {
    return ensureDatabase(this.server.connection, name);
  }

  kill(): void {
    if (this.killed) return;
    this.killed = true;
    process.kill(this.server.pid, 'SIGKILL');
  }

  /** Starts it on the same data and address. */
  async restart(): Promise<void> {
    if (!this.killed) return;
    await this.server.stop();
    this.server = await startEmbeddedPostgres({ dataDirectory: this.dataDirectory, settings });
    this.killed = false;
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await this.server.stop();
  }
}
