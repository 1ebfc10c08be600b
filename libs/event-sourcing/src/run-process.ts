import { type Actor, type Command, deterministicId, serviceActor } from '@florin/kernel';
import { BlockedEvent, BlockedEvents } from './blocked-event';
import { isUnreadable } from './event-codec';
import { metadataOf } from './event-metadata';
import type { CommandReply } from './handle-command';
import type { CommandBus, CommandMessage } from './ports/command-bus.port';
import type { RecordedEvent } from './ports/event-store.port';
import { runSubscription, type RunningSubscription } from './subscription';
import type { SubscriptionRuntime } from './subscription-options';

/** A command that follows from an event, with its destination. */
export interface NextStep {
  readonly context: string;
  readonly key: string;
  readonly command: Command<string, unknown>;
  /** Refusals that mean another replica already did it. Any other refusal stops the process. */
  readonly tolerates?: readonly string[];
  /**
   * The command is also retried from elsewhere. If it fails for a reason other than an outage, the failure is logged
   * and the command skipped, so that one stalled object does not block all others.
   */
  readonly retriedElsewhere?: boolean;
  /** Completes the decision of a person: its actor is that of the event, and not the process. */
  readonly keepsActor?: boolean;
}

/**
 * Turns events into the commands that follow from them. `react` is pure, and its commands carry ids derived from their
 * objects.
 */
export interface Process {
  readonly name: string;
  readonly categories: readonly string[];
  /** The event types it reacts to. All others are skipped without waking it. */
  readonly eventTypes: readonly string[];
  /** All event types of its categories. A stream with another type is set aside, because the type may be one to react to. */
  readonly knownEventTypes?: readonly string[];
  react(event: RecordedEvent): readonly NextStep[];
  /** Who causes its commands, if not the process itself. */
  readonly actor?: Actor;
  /**
   * Waits for each reply before it sends the next command, in the order of the events. Otherwise all commands of a
   * batch are sent concurrently. It stops at an event that it cannot read, because it cannot skip one.
   */
  readonly inOrder?: boolean;
}

/**
 * All commands of an event get their reply before the checkpoint moves past it: a crash repeats commands and loses
 * none. A repeated command has the same id, so its handler recognizes it.
 */
export function runProcess<Tx>(
  process: Process,
  bus: CommandBus,
  runtime: SubscriptionRuntime<Tx>,
  shardCount = 1,
): RunningSubscription {
  return runSubscription({
    ...runtime,
    // A projection may have the same name and must not share the checkpoint.
    name: `process ${process.name}`,
    categories: process.categories,
    eventTypes: new Set(process.eventTypes),
    knownEventTypes: process.knownEventTypes && new Set(process.knownEventTypes),
    inOrder: process.inOrder,
    shardCount,
    work: async ({ events, commit }) => {
      const deliveries = events.flatMap((event) => messagesFor(process, event));
      const send = (delivery: Delivery): Promise<void> => deliver(process, bus, delivery, runtime);
      if (process.inOrder) for (const delivery of deliveries) await send(delivery);
      else await allOf(deliveries.map(send));
      await commit();
    },
    probe: async ({ events }) => {
      for (const event of events) process.react(event);
    },
  });
}

/** Waits for all, so that all blocked events are known at once. */
async function allOf(sent: readonly Promise<void>[]): Promise<void> {
  const errors: unknown[] = [];
  for (const result of await Promise.allSettled(sent)) if (result.status === 'rejected') errors.push(result.reason);
  if (errors.length === 0) return;
  const isBlocked = (error: unknown): error is BlockedEvent => error instanceof BlockedEvent;
  if (errors.every(isBlocked)) throw new BlockedEvents(errors);
  throw errors.find((error) => !isBlocked(error));
}

interface Delivery {
  readonly event: RecordedEvent;
  readonly message: CommandMessage;
  readonly tolerates: readonly string[];
  readonly retriedElsewhere: boolean;
}

function messagesFor(process: Process, event: RecordedEvent): readonly Delivery[] {
  const steps = process.react(event);
  if (steps.length === 0) return [];
  const { correlationId, traceparent, actor: cause } = metadataOf(event);
  const own = process.actor ?? serviceActor(process.name);
  return steps.map(({ context, key, command, tolerates = [], retriedElsewhere = false, keepsActor }, index) => {
    const id = deterministicId(process.name, event.id, String(index));
    const actor = keepsActor && cause !== undefined ? cause : own;
    const headers = { correlationId, causationId: event.id, traceparent, actor };
    return { event, message: { context, key, id, command, headers }, tolerates, retriedElsewhere };
  });
}

async function deliver<Tx>(
  process: Process,
  bus: CommandBus,
  { event, message, tolerates, retriedElsewhere }: Delivery,
  { isTransient, log }: SubscriptionRuntime<Tx>,
): Promise<void> {
  try {
    const reply = await bus.request<CommandReply<unknown>>(message);
    if (reply.ok || tolerates.includes(reply.refusal.refused)) return;
    const { refused, message: why } = reply.refusal;
    throw new Error(`${process.name}: ${message.command.type} was refused as ${refused}: ${why}`);
  } catch (error) {
    if (!retriedElsewhere && isUnreadable(error)) throw new BlockedEvent(event, error);
    if (!retriedElsewhere || isTransient(error)) throw error;
    const { command, headers } = message;
    log.error(
      { process: process.name, command, headers, err: error },
      'A command failed and was skipped; it is retried later',
    );
  }
}
