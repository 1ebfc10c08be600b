import {
  createPool,
  type DatabaseConnection,
  isStatementTimeout,
  type PoolOptions,
  prismaClientOn,
  type PrismaClient,
} from '@florin/database';
import { FairQueue, QueueFull } from '@florin/event-sourcing';
import type { Pool } from 'pg';

/** Who reads: the id of a company, or one of the readers that belong to no company. */
export type Reader = string;
export const operators: Reader = 'operators';
export const issuer: Reader = 'issuer';

/** The server has canceled a read that took too long. */
export class ReadTimeout extends Error {
  constructor(cause: unknown) {
    super('A read took longer than the statement timeout and was canceled', { cause });
    this.name = 'ReadTimeout';
  }
}

/** Too many reads of one company wait for a connection. */
export class ReadQueueFull extends Error {
  constructor(cause: unknown) {
    super('Too many reads of this company wait for a database connection', { cause });
    this.name = 'ReadQueueFull';
  }
}

export interface ReadDatabaseOptions extends Pick<PoolOptions, 'applicationName' | 'statementTimeoutMs' | 'onError'> {
  /** The connections that all reads share. */
  readonly connections?: number;
  /** The reads of one company that may wait for a connection. */
  readonly maxWaiting?: number;
}

export interface ReadStatistics {
  readonly inUse: number;
  readonly waiting: number;
  readonly timeouts: number;
  readonly rejections: number;
}

/** A connection for `pg`, and the typed client on the same pool. */
export interface ReadConnection {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
}

/**
 * The connections for reads of the API. A company gets at most half of them, rounded up, and companies take turns: a company
 * with many or slow reads delays its own.
 */
export class ReadDatabase {
  private readonly queue: FairQueue;
  private readonly connection: ReadConnection;
  private canceled = 0;
  private rejected = 0;

  constructor(connection: DatabaseConnection, options: ReadDatabaseOptions = {}) {
    const { connections = 5, maxWaiting = 100, ...poolOptions } = options;
    const pool = createPool(connection, { ...poolOptions, max: connections, utc: true });
    this.connection = { pool, prisma: prismaClientOn(pool) };
    this.queue = new FairQueue({
      slots: connections,
      slotsPerGroup: Math.ceil(connections / 2),
      maxWaitingPerGroup: maxWaiting,
    });
  }

  /** Reads that run and wait now, and those that were canceled or rejected since the start. */
  get statistics(): ReadStatistics {
    const { inUse, waiting } = this.queue;
    return { inUse, waiting, timeouts: this.canceled, rejections: this.rejected };
  }

  /**
   * Runs a read once the reader has a free connection. The read uses one connection at a time. `continued` reads are part
   * of a response that has begun, so they wait even if the queue is full.
   */
  async read<Result>(
    reader: Reader,
    task: (connection: ReadConnection) => Promise<Result>,
    { continued = false } = {},
  ): Promise<Result> {
    try {
      return await this.queue.run(reader, () => task(this.connection), { always: continued });
    } catch (error) {
      if (error instanceof QueueFull) {
        this.rejected += 1;
        throw new ReadQueueFull(error);
      }
      if (!isStatementTimeout(error)) throw error;
      this.canceled += 1;
      throw new ReadTimeout(error);
    }
  }

  /** The first query of Prisma takes 200 ms, so it runs before the first request. */
  async warmUp(): Promise<void> {
    await this.connection.prisma.$queryRaw`SELECT 1`;
  }

  async close(): Promise<void> {
    await this.connection.prisma.$disconnect();
    await this.connection.pool.end();
  }
}
