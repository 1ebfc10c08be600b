import { CommandHandler, type EventStore, noStream } from '@florin/event-sourcing';
import { type Aggregate, type Command, type DomainEvent, randomId, serviceActor, systemClock } from '@florin/kernel';
import type { Caller } from '../measure';
import { type SampleData, sampleData, sampleEvent, sampleType } from '../sample-event';
import { type AppendContestant, RoundRobinStreams } from './append-contestant';

type Reserve = Command<'Reserve', SampleData>;
type Reserved = DomainEvent<typeof sampleType, SampleData>;

/** Decides almost nothing, so that the benchmark measures the path to the store. */
const aggregate: Aggregate<number, Reserve, Reserved, never, null> = {
  category: 'account',
  versions: { [sampleType]: [] },
  initialState: () => 0,
  decide: ({ data }) => [{ type: sampleType, data }],
  evolve: (count) => count + 1,
  answer: () => null,
};

export function florinAppends(store: EventStore & { close(): Promise<void> }): AppendContestant {
  return {
    manyStreams: (callers) => Array.from({ length: callers }, () => ownStreams(store)),
    hotStream: (callers) => hotStream(store, callers),
    close: () => store.close(),
  };
}

function ownStreams(store: EventStore): Caller {
  const streams = new RoundRobinStreams(() => `account-${randomId()}-sandbox`);
  return async () => {
    const stream = streams.next();
    await store.append(stream.name, noStream + stream.events, [sampleEvent()]);
    stream.events += 1;
  };
}

/** As in the product: one mailbox per stream decides all waiting commands and stores them with one append. */
function hotStream(store: EventStore, callers: number): Caller[] {
  const handler = new CommandHandler(aggregate, { store, clock: systemClock });
  const streamId = `${randomId()}-sandbox`;
  return Array.from({ length: callers }, () => async () => {
    const headers = { correlationId: randomId(), causationId: randomId(), actor: serviceActor('bench') };
    const reply = await handler.handle(streamId, { type: 'Reserve', data: sampleData() }, { id: randomId(), headers });
    if (!reply.ok) throw new Error(`A command was rejected: ${reply.refusal.message}`);
  });
}
