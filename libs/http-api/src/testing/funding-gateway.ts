import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { CompaniesModule } from '@florin/companies-application';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import { createPool, POOL } from '@florin/database';
import { createTestDatabase } from '@florin/database/testing';
import {
  CLOCK,
  COMMAND_BUS,
  EVENT_STORE,
  ReadYourWrites,
  READ_YOUR_WRITES,
  Progress,
  runProcess,
  runProjection,
  SNAPSHOT_STORE,
} from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import { DUE_INVOICES, invoicesProcess, InvoicingModule } from '@florin/invoicing-application';
import { type ManualClock, manualClock, testVaultKeys } from '@florin/kernel/testing';
import { LedgerModule } from '@florin/ledger-application';
import { HOLDER_VAULT } from '@florin/operations-domain';
import * as readModels from '@florin/read-models';
import { Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { createFastifyAdapter } from '../fastify-adapter';
import { HttpApiModule } from '../http-api.module';
import { installHttp } from '../install-http';
import { OperatorsApiModule } from '../operator/v1/operators.controller';
import { AccountApiModule } from '../v1/account-api.module';
import { FundingApiModule } from '../v1/funding-api.module';
import { OperationsApiModule } from '../v1/operations-api.module';
import { operatorToken, initialTime, TestKeys, TestLog } from './test-app';
import { TestVault } from './test-views';

export const treasury = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';

export interface FundingGateway {
  readonly app: NestFastifyApplication;
  readonly bus: InProcessCommandBus;
  readonly keys: TestKeys;
  readonly clock: ManualClock;
  close(): Promise<void>;
}

/**
 * Runs the real API, bus, contexts, process manager and Postgres read models for invoices. The events stay in memory,
 * and the spec controls the chain.
 */
export async function startFundingGateway(): Promise<FundingGateway> {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  const reads = new readModels.ReadDatabase(database.connection);
  const store = new InMemoryEventStore();
  const checkpoints = new PostgresCheckpointStore(database.connection);
  const progress = new Progress();
  const log = new TestLog();
  const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
  const clock = manualClock(initialTime);
  const keys = new TestKeys();
  const platform = [
    ...[
      { provide: EVENT_STORE, useValue: store },
      { provide: SNAPSHOT_STORE, useValue: new InMemorySnapshotStore() },
      { provide: COMMAND_BUS, useValue: bus },
    ],
    ...[
      { provide: CLOCK, useValue: clock },
      { provide: POOL, useValue: pool },
      { provide: readModels.ReadDatabase, useValue: reads },
    ],
    { provide: READ_YOUR_WRITES, useValue: new ReadYourWrites({ store, checkpoints, progress }) },
    { provide: readModels.ApiKeyUsage, useValue: { record: () => undefined } },
    { provide: DUE_INVOICES, useValue: new readModels.DueInvoicesQuery(pool) },
    { provide: HOLDER_VAULT, useValue: new TestVault() },
  ];
  @Global()
  @Module({ providers: platform, exports: platform })
  class Platform {}

  const http = HttpApiModule.forRoot({
    ...{ operatorToken, cursorSecret: 'secret-of-this-spec', rateLimits: { live: 0, sandbox: 0 } },
    ...{ baseUrl: 'https://florin.example', log, liveIssuer: true, liveChain: true, webhookAllowLoopback: false },
    minimums: { issue: '10.00', topup: '10.00' },
    fourEyesAmount: '1000.00',
  });
  const invoicing = InvoicingModule.forRoot({
    ...{ addresses: [treasury], lifetimeMs: 3_600_000, minimumAmount: '10.00', log, watchdog: { everyMs: 20 } },
  });
  const api = [AccountApiModule, FundingApiModule, OperationsApiModule, OperatorsApiModule];
  const module = Test.createTestingModule({
    imports: [Platform, http, LedgerModule, CompaniesModule, invoicing, ...api],
  });
  const compiled = await module.overrideProvider(readModels.CompanyQueries).useValue(keys).compile();
  const app = compiled.createNestApplication<NestFastifyApplication>(createFastifyAdapter(), { logger: false });
  installHttp(app);
  app.connectMicroservice({ strategy: bus.transport });
  await app.startAllMicroservices();
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const { accountEntriesProjection, depositsProjection, invoicesProjection, operationsProjection } = readModels;
  const projections = [
    ...[accountEntriesProjection, depositsProjection, invoicesProjection, operationsProjection],
    ...[readModels.approvalsProjection, readModels.adjustmentsProjection, readModels.acceptedRequestsProjection],
    readModels.operatorsProjection(testVaultKeys),
  ];
  const runtime = { store, checkpoints, progress, log, isTransient: () => false };
  const running = [
    ...projections.map((projection) => runProjection(projection, runtime)),
    runProcess(invoicesProcess, bus, runtime),
  ];
  const close = async (): Promise<void> => {
    await app.close();
    await Promise.all(running.map((subscription) => subscription.stop()));
    await checkpoints.close();
    await Promise.all([pool.end(), reads.close()]);
    await database.drop();
    expect([...log.at('error'), ...log.at('warn')]).toEqual([]);
  };
  return { app, bus, keys, clock, close };
}
