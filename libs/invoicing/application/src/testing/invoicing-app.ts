import 'reflect-metadata';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import {
  CLOCK,
  COMMAND_BUS,
  CommandHandler,
  type CommandMessage,
  EVENT_STORE,
  patternOf,
  type ReplyOf,
  Progress,
  runProcess,
  type RunningSubscription,
  SNAPSHOT_STORE,
} from '@florin/event-sourcing';
import {
  InMemoryCheckpointStore,
  InMemoryEventStore,
  InMemorySnapshotStore,
  silentLog,
} from '@florin/event-sourcing/testing';
import { type Command, randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { accountAggregate, type AccountCommand, accountCommandTypes } from '@florin/ledger-domain';
import { Controller, Global, Inject, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { DUE_INVOICES } from '../due-invoices.port';
import { InvoiceClock } from '../invoice-clock';
import { invoicesProcess } from '../invoices.process';
import type { InvoicingOptions } from '../invoicing-options';
import { InvoicingModule } from '../invoicing.module';
import { settlementProcess } from '../settlement.process';
import { expiredIn, InvoicingLog, stalledIn } from './simulation/invoicing-log';
import { lifetimeMs, treasury } from './simulation/invoicing-simulation';

@Controller()
class TestLedger {
  private readonly accounts;

  constructor(@Inject(EVENT_STORE) store: InMemoryEventStore, @Inject(CLOCK) clock: ReturnType<typeof manualClock>) {
    this.accounts = new CommandHandler(accountAggregate, { store, clock });
  }

  @MessagePattern(accountCommandTypes.map((type) => patternOf('ledger', type)))
  handle(@Payload() message: CommandMessage<AccountCommand>): Promise<ReplyOf<typeof accountAggregate>> {
    return this.accounts.handle(message.command.data.accountId, message.command, message);
  }
}

@Module({})
class TestPlatform {}
Global()(TestPlatform);

@Module({})
class TestApplication {}

/** The module as in production, with the real bus and processes and an in-memory store. */
export class InvoicingApp {
  readonly clock = manualClock('2030-01-15T12:00:00.000Z');
  readonly store = new InMemoryEventStore();
  readonly progress = new Progress();
  private readonly bus = new InProcessCommandBus({ onFailedSend: () => undefined });
  private app: INestMicroservice | undefined;
  private processes: readonly RunningSubscription[] = [];

  async start(options: Partial<InvoicingOptions> = {}): Promise<void> {
    const due = {
      expiredBefore: async (now: Date) => expiredIn(await this.log(), now),
      unchangedSince: async (before: Date) => stalledIn(await this.log(), before),
    };
    const ports = [
      { provide: EVENT_STORE, useValue: this.store },
      { provide: SNAPSHOT_STORE, useValue: new InMemorySnapshotStore() },
      { provide: COMMAND_BUS, useValue: this.bus },
      { provide: CLOCK, useValue: this.clock },
      { provide: DUE_INVOICES, useValue: due },
    ];
    const defaults = { addresses: treasury, lifetimeMs, minimumAmount: '10.00', log: silentLog };
    const invoicing = InvoicingModule.forRoot({ ...defaults, watchdog: { everyMs: 2 ** 31 - 1 }, ...options });
    const platform = { module: TestPlatform, providers: ports, exports: ports };
    const root = { module: TestApplication, imports: [platform, invoicing], controllers: [TestLedger] };
    this.app = await NestFactory.createMicroservice(root, { strategy: this.bus.transport, logger: false });
    await this.app.listen();
    const { store, progress } = this;
    const runtime = { store, progress, checkpoints: new InMemoryCheckpointStore(), log: silentLog };
    this.processes = [invoicesProcess, settlementProcess].map((process) =>
      runProcess(process, this.bus, { ...runtime, isTransient: () => false }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.app?.close();
  }

  send<Reply>(context: string, key: string, command: Command<string, unknown>): Promise<Reply> {
    const headers = { correlationId: 'request', causationId: 'request', actor: serviceActor('test') };
    return this.bus.request<Reply>({ context, key, id: randomId(), command, headers });
  }

  /** Runs the clock once and waits for the consequences. */
  async tick(): Promise<void> {
    await this.app?.get(InvoiceClock, { strict: false }).tick();
    await this.settle();
  }

  /** Waits until the processes have handled all events, including the resulting ones. */
  async settle(): Promise<void> {
    for (let head = -1n; head !== (await this.store.head());) {
      head = await this.store.head();
      const names = [invoicesProcess, settlementProcess].map(({ name }) => `process ${name}`);
      for (const name of names) {
        while (!this.progress.hasReached(name, head)) await this.progress.waitForProgress(name, 1_000);
      }
    }
  }

  async log(): Promise<InvoicingLog> {
    return new InvoicingLog((await this.store.readAll({ after: 0n, pageSize: 100_000 })).events);
  }
}
