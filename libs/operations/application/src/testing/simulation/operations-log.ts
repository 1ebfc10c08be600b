import { categoryOf, type EventCodec, eventCodec, type RecordedEvent } from '@florin/event-sourcing';
import { streamsIn } from '@florin/event-sourcing/testing';
import type { Decider, DomainEvent } from '@florin/kernel';
import { accountAggregate, type AccountEvent, accountEventVersions, type AccountState } from '@florin/ledger-domain';
import {
  cardAggregate,
  type CardEvent,
  cardEventVersions,
  type CardState,
  operationAggregate,
  type OperationEvent,
  operationEventVersions,
  type OperationPhase,
  type OperationState,
} from '@florin/operations-domain';

type AnyEvent = DomainEvent<string, unknown>;

/** All streams of one category. */
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

/** The stored events, folded per stream by the deciders alone. */
export class OperationsLog {
  readonly accounts = new Folded<AccountState, AccountEvent>(accountAggregate, eventCodec(accountEventVersions));
  readonly operations = new Folded<OperationState, OperationEvent>(
    operationAggregate,
    eventCodec(operationEventVersions),
  );
  readonly cards = new Folded<CardState, CardEvent>(cardAggregate, eventCodec(cardEventVersions));
  readonly streams: ReturnType<typeof streamsIn>;

  constructor(readonly recorded: readonly RecordedEvent[]) {
    this.streams = streamsIn(recorded);
    for (const event of recorded) this.add(event);
  }

  private add(event: RecordedEvent): void {
    const category = categoryOf(event.stream);
    if (category === 'account') this.accounts.add(event);
    if (category === 'operation') this.operations.add(event);
    if (category === 'card') this.cards.add(event);
  }
}

const unfinishedPhases: readonly OperationPhase[] = ['queued', 'calling', 'accepted', 'declined'];

/** What the read model would return to the watchdog. */
export function unfinishedIn(recorded: readonly RecordedEvent[], before: Date): string[] {
  const { states, movedAt } = new OperationsLog(recorded.filter(({ stream }) => categoryOf(stream) === 'operation'))
    .operations;
  return [...states]
    .filter(([, { phase }]) => unfinishedPhases.includes(phase))
    .filter(([id]) => Date.parse(movedAt.get(id) ?? '') <= before.getTime())
    .map(([id]) => id);
}
