import { categoryOf, type EventCodec, eventCodec, type RecordedEvent } from '@florin/event-sourcing';
import type { Decider, DomainEvent } from '@florin/kernel';
import { accountDecider, type AccountEvent, accountEventVersions, type AccountState } from '@florin/ledger-domain';
import {
  cardDecider,
  type CardEvent,
  cardEventVersions,
  type CardState,
  operationDecider,
  type OperationEvent,
  operationEventVersions,
  type OperationPhase,
  type OperationState,
} from '@florin/operations-domain';

type AnyEvent = DomainEvent<string, unknown>;

/** The streams of one kind, folded from nothing but what is stored. */
class Folded<State, E extends AnyEvent> {
  readonly states = new Map<string, State>();
  readonly movedAt = new Map<string, string>();
  readonly events: E[] = [];
  private readonly eventsById = new Map<string, E[]>();

  constructor(
    private readonly decider: Decider<State, never, E>,
    private readonly codec: EventCodec<E>,
  ) {}

  add(recorded: RecordedEvent): void {
    const { event, metadata } = this.codec.decode(recorded);
    const id = recorded.stream.slice(this.decider.category.length + 1);
    this.states.set(id, this.decider.evolve(this.states.get(id) ?? this.decider.initialState(), event));
    this.movedAt.set(id, metadata.recordedAt);
    this.events.push(event);
    this.eventsById.set(id, [...this.eventsOf(id), event]);
  }

  eventsOf(id: string): readonly E[] {
    return this.eventsById.get(id) ?? [];
  }
}

/** What the log tells about a whole flow, without any help of the code that wrote it. */
export class FlowLog {
  readonly accounts = new Folded<AccountState, AccountEvent>(accountDecider, eventCodec(accountEventVersions));
  readonly operations = new Folded<OperationState, OperationEvent>(
    operationDecider,
    eventCodec(operationEventVersions),
  );
  readonly cards = new Folded<CardState, CardEvent>(cardDecider, eventCodec(cardEventVersions));
  readonly streams = new Map<string, RecordedEvent[]>();

  constructor(readonly recorded: readonly RecordedEvent[]) {
    for (const event of recorded) this.add(event);
  }

  private add(event: RecordedEvent): void {
    const stream = this.streams.get(event.stream);
    if (stream === undefined) this.streams.set(event.stream, [event]);
    else stream.push(event);
    const category = categoryOf(event.stream);
    if (category === 'account') this.accounts.add(event);
    if (category === 'operation') this.operations.add(event);
    if (category === 'card') this.cards.add(event);
  }
}

const upToUs: readonly OperationPhase[] = ['queued', 'calling', 'accepted', 'declined'];

/** What the read model would tell the watchdog. */
export function unfinishedIn(recorded: readonly RecordedEvent[], before: Date): string[] {
  const { states, movedAt } = new FlowLog(recorded.filter(({ stream }) => categoryOf(stream) === 'operation'))
    .operations;
  return [...states]
    .filter(([, { phase }]) => upToUs.includes(phase))
    .filter(([id]) => Date.parse(movedAt.get(id) ?? '') <= before.getTime())
    .map(([id]) => id);
}
