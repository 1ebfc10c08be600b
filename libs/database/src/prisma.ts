import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { createPool, type DatabaseConnection, type PoolOptions } from './connection';
import { Prisma, PrismaClient } from './generated/client';

export { Prisma, PrismaClient };
export type * from './generated/models';

/** The typed client for the read models. `$disconnect` closes its connections. */
export function createPrismaClient(connection: DatabaseConnection, options: PoolOptions = {}): PrismaClient {
  // Prisma reads and writes timestamps without an offset, so they would be wrong in any other time zone.
  return clientOn(createPool(connection, { applicationName: 'florin-queries', ...options, utc: true }), true);
}

/** The typed client on a pool with sessions in UTC. The owner of the pool closes it. */
export function prismaClientOn(pool: Pool): PrismaClient {
  return clientOn(pool, false);
}

function clientOn(pool: Pool, disposeExternalPool: boolean): PrismaClient {
  // The types of the adapter's pool are of another version.
  const adapter = new PrismaPg(pool as unknown as ConstructorParameters<typeof PrismaPg>[0], { disposeExternalPool });
  return new PrismaClient({ adapter });
}
