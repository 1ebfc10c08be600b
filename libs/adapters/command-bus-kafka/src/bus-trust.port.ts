import type { KeyObject } from 'node:crypto';

/** Who a service trusts on the bus. */
export interface BusTrust {
  /** The keys between a sending service and a receiving context: the first one signs, all verify. */
  keysOf(edge: { readonly sender: string; readonly context: string }): readonly KeyObject[];
  /** Whether the service may send this command. */
  isPermitted(command: {
    readonly sender: string;
    readonly context: string;
    readonly type: string;
    readonly data: unknown;
  }): boolean;
}
