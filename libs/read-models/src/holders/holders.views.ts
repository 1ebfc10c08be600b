import type { HolderKind, HolderStatus } from '@florin/operations-domain';

/** Stands in the place of a name and an e-mail address that can never be read again. */
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

/** The same for an operator, who sees the holders of all companies. */
export type OwnedHolderView = HolderView & {
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
};
