import { PrismaPg } from '@prisma/adapter-pg';
import type { DatabaseConnection, PoolOptions } from './connection';
import { Prisma, PrismaClient } from './generated/client';

export { Prisma, PrismaClient };
export type * from './generated/models';

/** What a connection of the adapter's pool has in common with ours; its types are of another version. */
interface Session {
  query(statement: string): Promise<unknown>;
}

/** The typed client for the read models. `$disconnect` closes its connections. */
export function createPrismaClient(connection: DatabaseConnection, options: PoolOptions = {}): PrismaClient {
  const pool = {
    ...connection,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'florin-queries',
    // Prisma reads and writes timestamps without an offset, so they would be wrong in any other time zone.
    onConnect: async (client: Session) => void (await client.query(`SET TIME ZONE 'UTC'`)),
  };
  const adapter = new PrismaPg(pool, { onPoolError: options.onError, onConnectionError: options.onError });
  return new PrismaClient({ adapter });
}
