import { status } from '@grpc/grpc-js';

export type Method = 'append' | 'read' | 'subscribe';

export type Fault =
  /** Replies with this status and does nothing else. */
  | {
      readonly kind: 'refuse';
      readonly code: status;
      readonly details: string;
      readonly trailers?: Readonly<Record<string, string>>;
    }
  /** Cuts every connection, before the call is executed or before its reply. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** Pauses the call before it is executed. */
  | { readonly kind: 'delay'; readonly until: Promise<void>; readonly onArrival: () => void }
  /** Executes an append twice, like a network retry; sends every event of a subscription twice. */
  | { readonly kind: 'duplicate' };

/** A call that waits until the test releases it. */
export interface PausedCall {
  /** Resolves when the call has arrived. */
  readonly arrived: Promise<void>;
  release(): void;
}

/** Faults to inject: each planned fault affects one call, in the planned order. */
export class Faults {
  private readonly planned = new Map<Method, Fault[]>();

  plan(method: Method, ...faults: readonly Fault[]): void {
    this.planned.set(method, [...(this.planned.get(method) ?? []), ...faults]);
  }

  pause(method: Method): PausedCall {
    let release: () => void = () => undefined;
    let onArrival: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const arrived = new Promise<void>((resolve) => (onArrival = resolve));
    this.plan(method, { kind: 'delay', until, onArrival });
    return { arrived, release };
  }

  /** Refuses like a starting server. */
  unavailable(method: Method): void {
    this.plan(method, { kind: 'refuse', code: status.UNAVAILABLE, details: 'Server is not ready' });
  }

  /** Refuses like a follower in a cluster, and names the leader. */
  notLeader(method: Method, leaderPort: number): void {
    const trailers = {
      exception: 'not-leader',
      'leader-endpoint-host': '127.0.0.1',
      'leader-endpoint-port': String(leaderPort),
    };
    this.plan(method, { kind: 'refuse', code: status.NOT_FOUND, details: 'Leader info available', trailers });
  }

  /** Refuses like a server that does not know the user. */
  unauthenticated(method: Method): void {
    this.plan(method, { kind: 'refuse', code: status.UNAUTHENTICATED, details: 'Unauthenticated' });
  }

  take(method: Method): Fault | undefined {
    return this.planned.get(method)?.shift();
  }
}
