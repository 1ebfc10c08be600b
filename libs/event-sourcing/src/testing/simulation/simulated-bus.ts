import type { Command } from '@florin/kernel';
import type { CommandReply } from '../../handle-command';
import { type CommandBus, type CommandMessage, NoReply } from '../../ports/command-bus.port';

/** Handlers by command type. */
export type Routes = Readonly<Record<string, (message: CommandMessage<never>) => Promise<unknown>>>;

/** The same handler for several command types. */
export function routesOf<C extends Command<string, unknown>>(
  types: readonly C['type'][],
  handle: (message: CommandMessage<C>) => Promise<unknown>,
): Routes {
  return Object.fromEntries(types.map((type) => [type, handle]));
}

export interface SentMessage {
  readonly message: CommandMessage;
  /** Whether the sender got a positive reply, or only positive ones to a command for several requests. */
  accepted: boolean;
}

/** Delivers messages as JSON, each in a step, and records them in `sent`, so that any of them can be redelivered later. */
export function simulatedBus(
  contexts: Readonly<Record<string, Routes>>,
  step: () => Promise<void>,
  sent: SentMessage[],
): CommandBus {
  const deliver = async (message: CommandMessage): Promise<unknown> => {
    const json = JSON.stringify(message);
    const entry: SentMessage = { message: JSON.parse(json) as CommandMessage, accepted: false };
    sent.push(entry);
    await step();
    const handle = contexts[message.context]?.[message.command.type];
    if (handle === undefined) throw new Error(`Nothing handles ${message.context} ${message.command.type}`);
    try {
      const reply = JSON.parse(JSON.stringify(await handle(JSON.parse(json) as CommandMessage<never>))) as CommandReply;
      entry.accepted = isPositive(reply);
      return reply;
    } catch (error) {
      throw new NoReply(`${message.command.type} failed`, { cause: error });
    }
  };
  return {
    request: <Reply>(message: CommandMessage) => deliver(message) as Promise<Reply>,
    send: async (message) => void deliver(message),
  };
}

function isPositive(reply: CommandReply<unknown>): boolean {
  return reply.ok && (!Array.isArray(reply.answer) || (reply.answer as CommandReply<unknown>[]).every(isPositive));
}
