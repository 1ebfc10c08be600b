import { type Command, deterministicId } from '@florin/kernel';
import { metadataOf } from './event-metadata';
import type { CommandReply } from './handle-command';
import type { CommandBus, CommandMessage } from './ports/command-bus.port';
import type { RecordedEvent } from './ports/event-store.port';
import { runSubscription, type RunningSubscription, type SubscriptionRuntime } from './subscription';

/** A command that follows from an event, and where it goes. */
export interface NextStep {
  readonly context: string;
  readonly key: string;
  readonly command: Command<string, unknown>;
}

/** Turns what happened into what has to happen next. `react` is pure; its commands carry ids of their own objects. */
export interface Process {
  readonly name: string;
  readonly categories: readonly string[];
  react(event: RecordedEvent): readonly NextStep[];
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
    name: process.name,
    categories: process.categories,
    shardCount,
    work: async (membership, claim, events, upTo) => {
      const messages = events.flatMap((event) => messagesFor(process, event));
      await Promise.all(messages.map((message) => deliver(process, bus, message)));
      await membership.advance(claim, upTo);
    },
  });
}

function messagesFor(process: Process, event: RecordedEvent): readonly CommandMessage[] {
  const { correlationId, traceparent } = metadataOf(event);
  return process.react(event).map((step, index) => ({
    ...step,
    id: deterministicId(process.name, event.id, String(index)),
    headers: { correlationId, causationId: event.id, traceparent },
  }));
}

async function deliver(process: Process, bus: CommandBus, message: CommandMessage): Promise<void> {
  const reply = await bus.request<CommandReply<unknown>>(message);
  if (reply.ok) return;
  const { refused, message: why } = reply.refusal;
  throw new Error(`${process.name}: ${message.command.type} was refused as ${refused}: ${why}`);
}
