import type { DatabaseConnection } from '@florin/database';
import type { Position, SubscriptionStatus } from '@florin/event-sourcing';
import type { Config } from '../config';

/** The `workerData` of the projector thread. */
export interface ProjectorSetting {
  readonly serviceName: string;
  readonly config: Config;
  readonly connection: DatabaseConnection;
  /** The identity of the event store. */
  readonly storeId: string;
}

export interface ProjectionStatus {
  readonly name: string;
  readonly status: SubscriptionStatus;
}

export type ToProjector =
  { readonly type: 'hurry'; readonly subscription: string } | { readonly type: 'stop' } | { readonly type: 'report' };

export type FromProjector =
  | {
      readonly type: 'moved';
      readonly subscription: string;
      readonly shard: number;
      readonly shardCount: number;
      readonly position: Position;
    }
  | { readonly type: 'set-aside'; readonly subscription: string; readonly shard: number; readonly streams: number }
  | { readonly type: 'left'; readonly subscription: string; readonly shard: number }
  | { readonly type: 'report'; readonly statuses: readonly ProjectionStatus[] };
