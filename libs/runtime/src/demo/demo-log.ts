import { type CommandBus, type CommandReply, type EventStore, NoReply } from '@florin/event-sourcing';
import { type Command, randomId, type Refusal, serviceActor } from '@florin/kernel';

export interface DemoCommand {
  readonly context: string;
  readonly key: string;
  readonly command: Command<string, unknown>;
  /** The command id, if a repetition by a later start must be recognized. */
  readonly id?: string;
}

/** The services behind the bus may still be starting. */
const maxAttempts = 12;

/** Executes a command; returns the refusal, if there is one. */
export async function execute(
  bus: CommandBus,
  { id = randomId(), ...rest }: DemoCommand,
): Promise<Refusal | undefined> {
  const headers = { correlationId: id, causationId: 'demo-data', actor: serviceActor('demo-data') };
  for (let attempt = 1; ; attempt++) {
    try {
      const reply = await bus.request<CommandReply<unknown>>({ ...rest, id, headers });
      return reply.ok ? undefined : reply.refusal;
    } catch (error) {
      const noReply = error instanceof NoReply && error.cause === undefined;
      if (!noReply || attempt === maxAttempts) throw error;
    }
  }
}

/** Whether a stream has at least `count` events. Reads no further, because the stream may be long. */
export async function hasEvents(store: EventStore, stream: string, count = 1): Promise<boolean> {
  let seen = 0;
  for await (const page of store.readStream(stream)) {
    seen += page.length;
    if (seen >= count) return true;
  }
  return false;
}
