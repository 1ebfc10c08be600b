import { type Command, deterministicId } from '@florin/kernel';
import { metadataOf } from './event-metadata';
import type { CommandReply } from './handle-command';
import type { CommandBus, CommandMessage } from './ports/command-bus.port';
import type { RecordedEvent } from './ports/event-store.port';
import { runSubscription, type RunningSubscription } from './subscription';
import type { SubscriptionRuntime } from './subscription-options';

/** A command that follows from an event, and where it goes. */
export interface NextStep {
  readonly context: string;
  readonly key: string;
  readonly command: Command<string, unknown>;
  /** Refusals that only tell that somebody was faster. Any other one stops the process. */
  readonly tolerates?: readonly string[];
  /**
   * Somebody comes back to it by themselves: where it fails, and not because of an outage, that is told and passed over,
   * so that one object that cannot go on does not hold up all the others.
   */
  readonly retriedElsewhere?: boolean;
}

/** Turns what happened into what has to happen next. `react` is pure; its commands carry ids of their own objects. */
export interface Process {
  readonly name: string;
  readonly categories: readonly string[];
  /** The types of events it reacts to. All others are passed by without ever waking it. */
  readonly eventTypes: readonly string[];
  react(event: RecordedEvent): readonly NextStep[];
  /**
   * Each command is answered before the next one is sent, in the order of the events: for what may be believed only when
   * everything before it is known. Otherwise those of a batch are all under way at once.
   */
  readonly inOrder?: boolean;
}

/**
 * Every event's commands are answered before the checkpoint moves past it: a crash repeats commands, and never loses
 * one. A repeated command has the same id, so whoever handles it recognises it.
 */
export function runProcess<Tx>(
  process: Process,
  bus: CommandBus,
  runtime: SubscriptionRuntime<Tx>,
  shardCount = 1,
): RunningSubscription {
  return runSubscription({
    ...runtime,
    // A projection may be called the same, and must not share the checkpoint.
    name: `process ${process.name}`,
    categories: process.categories,
    eventTypes: new Set(process.eventTypes),
    shardCount,
    work: async (membership, claim, events, upTo) => {
      const deliveries = events.flatMap((event) => messagesFor(process, event));
      const send = (delivery: Delivery): Promise<void> => deliver(process, bus, delivery, runtime);
      if (process.inOrder) for (const delivery of deliveries) await send(delivery);
      else await Promise.all(deliveries.map(send));
      await membership.advance(claim, upTo);
    },
  });
}

interface Delivery {
  readonly message: CommandMessage;
  readonly tolerates: readonly string[];
  readonly retriedElsewhere: boolean;
}

function messagesFor(process: Process, event: RecordedEvent): readonly Delivery[] {
  const steps = process.react(event);
  if (steps.length === 0) return [];
  const { correlationId, traceparent } = metadataOf(event);
  return steps.map(({ context, key, command, tolerates = [], retriedElsewhere = false }, index) => {
    const id = deterministicId(process.name, event.id, String(index));
    const headers = { correlationId, causationId: event.id, traceparent };
    return { message: { context, key, id, command, headers }, tolerates, retriedElsewhere };
  });
}

async function deliver<Tx>(
  process: Process,
  bus: CommandBus,
  { message, tolerates, retriedElsewhere }: Delivery,
  { isTransient, log }: SubscriptionRuntime<Tx>,
): Promise<void> {
  try {
    const reply = await bus.request<CommandReply<unknown>>(message);
    if (reply.ok || tolerates.includes(reply.refusal.refused)) return;
    const { refused, message: why } = reply.refusal;
    throw new Error(`${process.name}: ${message.command.type} was refused as ${refused}: ${why}`);
  } catch (error) {
    if (!retriedElsewhere || isTransient(error)) throw error;
    const { command, headers } = message;
    log.error({ process: process.name, command, headers, err: error }, 'A command failed and was passed over for now');
  }
}
