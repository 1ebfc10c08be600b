import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DatabaseConnection,
  type DatabaseRole,
  databaseUrl,
  type EmbeddedDatabase,
  ensureDatabase,
  migrateDatabase,
  openEmbeddedDatabase,
} from '@florin/database';
import { TcpProxy } from '@florin/dev-platform';

/** Every service has several pools, and faults leave connections behind that are closed only after a while. */
const settings = { max_connections: '400', shared_buffers: '64MB' };

/** A Postgres server that can be killed, behind a proxy that the product connects to. */
export class ChaosDatabase {
  private killed = false;

  private constructor(
    private readonly dataDirectory: string,
    private server: EmbeddedDatabase,
    readonly proxy: TcpProxy,
    private readonly proxyFolder: string,
  ) {}

  static async start(dataDirectory: string): Promise<ChaosDatabase> {
    const server = await openServer(dataDirectory);
    const folder = join(dataDirectory, 'database-proxy');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
    const name = '.s.PGSQL.5432';
    const upstream = { path: join(String(server.owner.host), name) };
    const proxy = await TcpProxy.start({ listen: { path: join(folder, name) }, upstreams: () => [upstream] });
    return new ChaosDatabase(dataDirectory, server, proxy, folder);
  }

  /** The address for a service, through the proxy. Services have their own roles, as in production. */
  urlFor(role: DatabaseRole): string {
    return databaseUrl({ ...this.server.as(role), host: this.proxyFolder });
  }

  /** A direct connection of the owner for the checks, without the proxy. */
  get connection(): DatabaseConnection {
    return this.server.owner;
  }

  /** Another database on the same server. */
  another(name: string): Promise<DatabaseConnection> {
    return ensureDatabase(this.server.owner, name);
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
    this.server = await openServer(this.dataDirectory);
    this.killed = false;
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await this.server.stop();
  }
}

function openServer(dataDirectory: string): Promise<EmbeddedDatabase> {
  return openEmbeddedDatabase({ dataDirectory, settings, prepare: migrateDatabase });
}
