import { InProcessCommandBus } from '@florin/command-bus-in-process';
import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { createPool } from '@florin/database';
import { createTestDatabase } from '@florin/database/testing';
import {
  PostgresDeliveryQueue,
  PostgresRecoveryQueue,
  PostgresSecretVault,
  PostgresWebhookRetention,
} from '@florin/delivery-queue-postgres';
import {
  EVENT_STORE,
  ReadYourWrites,
  READ_YOUR_WRITES,
  Progress,
  runProjection,
  SNAPSHOT_STORE,
} from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import { systemClock } from '@florin/kernel';
import { testVaultKeys as keys } from '@florin/kernel/testing';
import {
  AcceptedRequestQueries,
  acceptedRequestsProjection,
  ReadDatabase,
  webhooksProjection,
} from '@florin/read-models';
import { HttpWebhookSender } from '@florin/webhook-sender-http';
import {
  DELIVERY_QUEUE,
  RECOVERY_QUEUE,
  WEBHOOK_RETENTION,
  WEBHOOK_SENDER,
  WebhooksModule,
} from '@florin/webhooks-application';
import { SECRET_VAULT } from '@florin/webhooks-domain';
import type { InjectionToken } from '@nestjs/common';
import type { Pool } from 'pg';
import { WebhooksApiModule } from '../v1/webhooks-api.module';
import { startTestApp, type TestApp, TestLog } from './test-app';

export interface WebhooksTestSetup extends TestApp {
  readonly pool: Pool;
  readonly store: InMemoryEventStore;
  /** Stops the read model of accepted requests meanwhile. */
  withoutAcceptedRequests(task: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Everything from the request to the receiver is real; only the events of the log stay in memory. */
export async function startWebhooksTestSetup(): Promise<WebhooksTestSetup> {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  const reads = new ReadDatabase(database.connection);
  const store = new InMemoryEventStore();
  const checkpoints = new PostgresCheckpointStore(database.connection);
  const progress = new Progress();
  const log = new TestLog();
  const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
  const isTransient = (): boolean => false;
  const runtime = { store, checkpoints, progress, log, isTransient };
  const webhooks = runProjection(webhooksProjection(keys), runtime);
  let acceptedRequests = runProjection(acceptedRequestsProjection, runtime);
  const readYourWrites = new ReadYourWrites({ store, checkpoints, progress });
  const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true });
  const standIns = new Map<InjectionToken, unknown>([
    [EVENT_STORE, store],
    [ReadDatabase, reads],
    [SNAPSHOT_STORE, new InMemorySnapshotStore()],
    [READ_YOUR_WRITES, readYourWrites],
    [AcceptedRequestQueries, new AcceptedRequestQueries(reads, readYourWrites)],
    [SECRET_VAULT, new PostgresSecretVault(pool, keys)],
    [DELIVERY_QUEUE, new PostgresDeliveryQueue(pool, database.connection, { keys, onUnreadable: () => undefined })],
    [RECOVERY_QUEUE, new PostgresRecoveryQueue(pool)],
    [WEBHOOK_RETENTION, new PostgresWebhookRetention(pool)],
    [WEBHOOK_SENDER, sender],
  ]);
  const modules = [WebhooksApiModule, WebhooksModule.forRoot({ log })];
  const options = { webhookAllowLoopback: true };
  const test = await startTestApp({ modules, standIns, bus, options });
  test.app.connectMicroservice({ strategy: bus.transport });
  await test.app.startAllMicroservices();
  const withoutAcceptedRequests = async (task: () => Promise<void>): Promise<void> => {
    await acceptedRequests.stop();
    await task();
    acceptedRequests = runProjection(acceptedRequestsProjection, runtime);
  };
  const close = async (): Promise<void> => {
    await test.app.close();
    await Promise.all([webhooks.stop(), acceptedRequests.stop()]);
    await sender.close();
    await checkpoints.close();
    await Promise.all([pool.end(), reads.close()]);
    await database.drop();
    expect([...log.at('error'), ...test.log.at('error')]).toEqual([]);
  };
  return { ...test, pool, store, withoutAcceptedRequests, close };
}
