import { assert } from '@florin/kernel';
import {
  type CheckpointStore,
  type Membership,
  type SetAsideChanges,
  type SetAsideStream,
  type ShardClaim,
  ShardLost,
  type ShardPositions,
  type PausableSubscription,
} from '../ports/checkpoint-store.port';
import { beforeFirst, type Position } from '../ports/event-store.port';

/** The effects of `onCommit` become visible together with the checkpoint, or not at all. */
export interface InMemoryTransaction {
  onCommit(effect: () => void): void;
}

type Work = (tx: InMemoryTransaction) => Promise<void>;

interface Shard {
  epoch: number;
  position: Position;
  holder?: InMemoryMembership;
}

interface SharedSubscription {
  readonly shards: readonly Shard[];
  readonly members: Set<InMemoryMembership>;
  /** The steps in progress. */
  readonly advancing: Set<Promise<void>>;
  readonly setAside: Map<string, SetAsideStream>;
  /** Makes further steps wait. */
  pause?: Promise<void>;
}

/** Checkpoints for end-to-end flows in tests. `another` is the same store as another process sees it. */
export class InMemoryCheckpointStore implements CheckpointStore<InMemoryTransaction> {
  private readonly memberships = new Set<InMemoryMembership>();

  constructor(private readonly subscriptions = new Map<string, SharedSubscription>()) {}

  async join(subscription: string, shardCount: number): Promise<Membership<InMemoryTransaction>> {
    const membership = new InMemoryMembership(subscription, this.shared(subscription, shardCount));
    this.memberships.add(membership);
    return membership;
  }

  async whilePaused(
    subscriptions: readonly PausableSubscription[],
    work: (paused: readonly ShardPositions[], tx: InMemoryTransaction) => Promise<readonly ShardPositions[]>,
  ): Promise<void> {
    const paused = subscriptions.map(({ name, shardCount }) => this.shared(name, shardCount));
    let resume: () => void = () => undefined;
    const pause = new Promise<void>((resolve) => (resume = resolve));
    for (const shared of paused) shared.pause = pause;
    try {
      await Promise.allSettled(paused.flatMap(({ advancing }) => [...advancing]));
      const effects: (() => void)[] = [];
      const positions = paused.map(({ shards }) => shards.map(({ position }) => position));
      const moved = await work(positions, { onCommit: (effect) => effects.push(effect) });
      paused.forEach(({ shards }, index) =>
        shards.forEach((shard, number) => {
          const position = moved[index]![number]!;
          if (position > shard.position) shard.position = position;
        }),
      );
      for (const effect of effects) effect();
    } finally {
      for (const shared of paused) shared.pause = undefined;
      resume();
    }
  }

  async position(subscription: string): Promise<Position> {
    const positions = this.subscriptions.get(subscription)?.shards.map((shard) => shard.position) ?? [];
    return positions.reduce((least, position) => (position < least ? position : least), positions[0] ?? beforeFirst);
  }

  another(): InMemoryCheckpointStore {
    return new InMemoryCheckpointStore(this.subscriptions);
  }

  /** Simulates a crash: its shards become free without notice. It claims again at its next balance. */
  crash(): void {
    for (const membership of this.memberships) membership.drop();
  }

  /** Moves all shards to a position, as someone with access to the database could. */
  force(subscription: string, position: Position): void {
    for (const shard of this.subscriptions.get(subscription)?.shards ?? []) shard.position = position;
  }

  private shared(subscription: string, shardCount: number): SharedSubscription {
    const shared = this.subscriptions.get(subscription) ?? {
      ...{ shards: newShards(shardCount), members: new Set(), advancing: new Set(), setAside: new Map() },
    };
    this.subscriptions.set(subscription, shared);
    return shared;
  }
}

class InMemoryMembership implements Membership<InMemoryTransaction> {
  members = 1;
  private readonly claims = new Map<number, ShardClaim>();

  constructor(
    private readonly subscription: string,
    private readonly shared: SharedSubscription,
  ) {
    shared.members.add(this);
  }

  get shardCount(): number {
    return this.shared.shards.length;
  }

  async balance(release: (shard: number) => Promise<void>): Promise<readonly ShardClaim[]> {
    this.shared.members.add(this);
    this.members = this.shared.members.size;
    const fairShare = Math.ceil(this.shardCount / this.members);
    for (const shard of [...this.claims.keys()].slice(fairShare)) {
      await release(shard);
      this.release(shard);
    }
    this.shared.shards.forEach((shard, index) => {
      if (shard.holder !== undefined || this.claims.size >= fairShare) return;
      shard.holder = this;
      shard.epoch += 1;
      this.claims.set(index, { shard: index, epoch: shard.epoch, position: shard.position });
    });
    return [...this.claims.values()];
  }

  advance(claim: ShardClaim, position: Position, work?: Work, changes?: SetAsideChanges): Promise<void> {
    return this.transact(() => this.step(claim, changes, work, position));
  }

  write(claim: ShardClaim, changes: SetAsideChanges, work?: Work): Promise<void> {
    return this.transact(() => this.step(claim, changes, work));
  }

  async setAside(): Promise<readonly SetAsideStream[]> {
    return [...this.shared.setAside.values()];
  }

  private async transact(begin: () => Promise<void>): Promise<void> {
    while (this.shared.pause !== undefined) await this.shared.pause;
    const step = begin();
    this.shared.advancing.add(step);
    return step.finally(() => this.shared.advancing.delete(step));
  }

  private async step(
    claim: ShardClaim,
    { put = [], removed = [] }: SetAsideChanges = {},
    work?: Work,
    position?: Position,
  ): Promise<void> {
    const shard = this.shared.shards[claim.shard];
    assert(shard, `subscription ${this.subscription} has no shard ${claim.shard}`);
    if (shard.epoch === claim.epoch && position !== undefined && shard.position >= position) return;
    const effects: (() => void)[] = [];
    if (shard.epoch === claim.epoch) await work?.({ onCommit: (effect) => effects.push(effect) });
    if (shard.epoch !== claim.epoch) throw new ShardLost(this.subscription, claim.shard);
    if (position !== undefined) shard.position = position;
    for (const entry of put) this.shared.setAside.set(entry.stream, entry);
    for (const stream of removed) this.shared.setAside.delete(stream);
    for (const effect of effects) effect();
  }

  async leave(): Promise<void> {
    this.drop();
  }

  drop(): void {
    for (const shard of [...this.claims.keys()]) this.release(shard);
    this.shared.members.delete(this);
  }

  private release(index: number): void {
    this.claims.delete(index);
    const shard = this.shared.shards[index];
    if (shard?.holder === this) shard.holder = undefined;
  }
}

function newShards(count: number): Shard[] {
  return Array.from({ length: count }, () => ({ epoch: 0, position: beforeFirst }));
}
