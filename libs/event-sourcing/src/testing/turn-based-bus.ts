import type { Command } from '@florin/kernel';
import type { CommandReply } from '../handle-command';
import { type CommandBus, type CommandMessage, NoReply } from '../ports/command-bus.port';

/** By the type of the command. */
export type Routes = Readonly<Record<string, (message: CommandMessage<never>) => Promise<unknown>>>;

/** One handler for all commands of a kind. */
export function routesOf<C extends Command<string, unknown>>(
  types: readonly C['type'][],
  handle: (message: CommandMessage<C>) => Promise<unknown>,
): Routes {
  return Object.fromEntries(types.map((type) => [type, handle]));
}

/** A message that was on its way, and whether somebody was told that it has happened. */
export interface Carried {
  readonly message: CommandMessage;
  accepted: boolean;
}

/**
 * Carries messages as JSON, as every bus does, and takes a turn for it. What it carries is written down: any of it may
 * be brought once more, at any later time, and after whatever came since.
 */
export function turnBasedBus(
  contexts: Readonly<Record<string, Routes>>,
  turn: () => Promise<void>,
  carried: Carried[],
): CommandBus {
  const deliver = async (message: CommandMessage): Promise<unknown> => {
    const wire = JSON.stringify(message);
    const entry: Carried = { message: JSON.parse(wire) as CommandMessage, accepted: false };
    carried.push(entry);
    await turn();
    const handle = contexts[message.context]?.[message.command.type];
    if (handle === undefined) throw new Error(`Nothing handles ${message.context} ${message.command.type}`);
    try {
      const reply = JSON.parse(JSON.stringify(await handle(JSON.parse(wire) as CommandMessage<never>))) as CommandReply;
      entry.accepted = reply.ok;
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
