import {
  createPool,
  type DatabaseConnection,
  isStatementTimeout,
  type PoolOptions,
  prismaClientOn,
  type PrismaClient,
} from '@florin/database';
import { type Cancellation, FairQueue, QueueFull, QueueTimeout, TaskCanceled } from '@florin/event-sourcing';
import type { Pool } from 'pg';

/** Readers that belong to no company. They have their own connections. */
export type InternalReader = 'operators' | 'issuer' | 'sign-in';
export const operators: InternalReader = 'operators';
export const issuer: InternalReader = 'issuer';
/** Finds out which operator sends a request. */
export const signIn: InternalReader = 'sign-in';

export interface CompanyReader {
  readonly companyId: string;
  /** Reports that the client has disconnected. */
  readonly disconnection?: Cancellation;
}

/** Who reads. */
export type Reader = CompanyReader | InternalReader;

/** All payers together share the connections of companies like one of them, so that many payers do not delay operators. */
export const payers: CompanyReader = { companyId: 'payers' };

/** The server has canceled a read that took too long. */
export class ReadTimeout extends Error {
  constructor(cause: unknown) {
    super('A read took longer than the statement timeout and was canceled', { cause });
    this.name = 'ReadTimeout';
  }
}

/** Too many reads of one company wait for a connection, or one of them waits too long. */
export class ReadQueueFull extends Error {
  constructor(cause: unknown) {
    super('Too many reads of this company wait for a database connection', { cause });
    this.name = 'ReadQueueFull';
  }
}

/** The client has disconnected while the read was waiting. */
export class ReadCanceled extends Error {
  constructor(cause: unknown) {
    super('The client disconnected while the read waited for a database connection', { cause });
    this.name = 'ReadCanceled';
  }
}

export interface ReadDatabaseOptions extends Pick<PoolOptions, 'applicationName' | 'statementTimeoutMs' | 'onError'> {
  /** The connections that the reads of all companies share. */
  readonly connections?: number;
  /** The reads of one company that may wait for a connection, each as long as a statement may take. */
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

/** Additional connections for operators, issuer callbacks and sign-ins. One of them is always left for the others. */
export const internalConnections = 3;

/**
 * The connections for reads of the API. A company gets at most half of them, rounded up, and companies take turns: a company
 * with many or slow reads delays its own.
 */
export class ReadDatabase {
  private readonly companies: FairQueue;
  private readonly internal: FairQueue;
  private readonly connection: ReadConnection;
  private canceled = 0;
  private rejected = 0;

  constructor(connection: DatabaseConnection, options: ReadDatabaseOptions = {}) {
    const { connections = 5, maxWaiting = 100, ...poolOptions } = options;
    const pool = createPool(connection, { ...poolOptions, max: connections + internalConnections, utc: true });
    this.connection = { pool, prisma: prismaClientOn(pool) };
    const limits = { maxWaitingPerGroup: maxWaiting, maxWaitMs: options.statementTimeoutMs };
    this.companies = new FairQueue({ ...limits, slots: connections, slotsPerGroup: Math.ceil(connections / 2) });
    this.internal = new FairQueue({ ...limits, slots: internalConnections, slotsPerGroup: internalConnections - 1 });
  }

  /** Reads that run and wait now, and those that were canceled or rejected since the start. */
  get statistics(): ReadStatistics {
    const { companies, internal } = this;
    return {
      inUse: companies.inUse + internal.inUse,
      waiting: companies.waiting + internal.waiting,
      timeouts: this.canceled,
      rejections: this.rejected,
    };
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
      const run = () => task(this.connection);
      if (typeof reader === 'string') return await this.internal.run(reader, run, { always: continued });
      const { companyId, disconnection } = reader;
      return await this.companies.run(companyId, run, { always: continued, cancellation: disconnection });
    } catch (error) {
      throw this.explain(error);
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

  private explain(error: unknown): unknown {
    if (error instanceof TaskCanceled) return new ReadCanceled(error);
    if (error instanceof QueueFull || error instanceof QueueTimeout) {
      this.rejected += 1;
      return new ReadQueueFull(error);
    }
    if (!isStatementTimeout(error)) return error;
    this.canceled += 1;
    return new ReadTimeout(error);
  }
}
