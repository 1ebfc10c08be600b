import { CLOCK, COMMAND_BUS, type CommandBus, type CommandReply, PeriodicTask } from '@florin/event-sourcing';
import { type Clock, randomId, serviceActor } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { OPERATIONS_OPTIONS, type OperationsOptions } from './operations-options';
import { UNFINISHED_OPERATIONS, type UnfinishedOperations } from './unfinished-operations.port';

/** Per tick; the longest-waiting come first. */
const maxPerTick = 500;

/**
 * Resumes stalled operations every few seconds: those whose issuer call was abandoned, and those that waited for a call slot in
 * a process that has ended.
 */
@Injectable()
export class OperationsWatchdog extends PeriodicTask {
  private readonly stalledAfterMs: number;

  constructor(
    @Inject(UNFINISHED_OPERATIONS) private readonly unfinished: UnfinishedOperations,
    @Inject(COMMAND_BUS) private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
  ) {
    const { stalledAfterMs = 15_000, everyMs = stalledAfterMs / 3 } = options.watchdog ?? {};
    super(everyMs);
    this.stalledAfterMs = stalledAfterMs;
  }

  override async tick(): Promise<void> {
    const { log } = this.options;
    try {
      const before = new Date(this.clock.now().getTime() - this.stalledAfterMs);
      const operationIds = await this.unfinished.unchangedSince(before, maxPerTick);
      if (operationIds.length > 0) log.info({ count: operationIds.length }, 'Resuming stalled operations');
      await Promise.all(operationIds.map((operationId) => this.advance(operationId)));
    } catch (error) {
      log.warn({ err: error }, 'Could not read the stalled operations; retrying');
    }
  }

  private async advance(operationId: string): Promise<void> {
    const { log } = this.options;
    const id = randomId();
    const message = {
      context: 'operations',
      key: operationId,
      id,
      command: { type: 'AdvanceOperation', data: { operationId } },
      headers: { correlationId: id, causationId: id, actor: serviceActor('operations') },
    };
    try {
      const reply = await this.bus.request<CommandReply>(message);
      if (reply.ok) return;
      log.error({ operationId, refusal: reply.refusal }, 'An operation cannot be resumed; investigate it');
    } catch (error) {
      log.warn({ operationId, err: error }, 'Could not resume an operation; retrying');
    }
  }
}
