import { type CommandBus, type CommandReply, type EventStore, NoReply } from '@florin/event-sourcing';
import { type Command, randomId, type Refusal } from '@florin/kernel';

export interface DemoCommand {
  readonly context: string;
  readonly key: string;
  readonly command: Command<string, unknown>;
  /** The id of the wish, where a later start should be recognised as a repeat. */
  readonly id?: string;
}

/** The services behind the bus may still be starting: so often is asked again. */
const attempts = 12;

/** Has a command carried out on behalf of the demo; gives the refusal, if there is one. */
export async function execute(
  bus: CommandBus,
  { id = randomId(), ...rest }: DemoCommand,
): Promise<Refusal | undefined> {
  const headers = { correlationId: id, causationId: 'demo-data' };
  for (let attempt = 1; ; attempt++) {
    try {
      const reply = await bus.request<CommandReply<unknown>>({ ...rest, id, headers });
      return reply.ok ? undefined : reply.refusal;
    } catch (error) {
      const nobodyAnswered = error instanceof NoReply && error.cause === undefined;
      if (!nobodyAnswered || attempt === attempts) throw error;
    }
  }
}

/** Whether a stream has so many events. It reads no further than that: a stream may have grown long since. */
export async function hasEvents(store: EventStore, stream: string, count = 1): Promise<boolean> {
  let seen = 0;
  for await (const page of store.readStream(stream)) {
    seen += page.length;
    if (seen >= count) return true;
  }
  return false;
}
