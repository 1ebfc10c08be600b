import type { HolderKind, HolderStatus } from '@florin/operations-domain';

/** Replaces the name and the e-mail address of an erased holder. */
export const erased = '[erased]';

/** The cardholder as clients see it. */
export interface HolderView {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
  readonly createdAt: string;
}

export interface HolderFilter {
  readonly kind?: HolderKind;
  readonly status?: HolderStatus;
  readonly externalId?: string;
}

/** The same with its owner, for operators. */
export type OwnedHolderView = HolderView & {
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
};
