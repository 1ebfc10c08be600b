import type { HolderKind, HolderStatus } from '@florin/operations-domain';
import { type Columns, table } from '../table';

export interface Holder {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly kind: HolderKind;
  readonly status: HolderStatus;
  readonly externalId: string;
  readonly companyId: string;
  readonly environment: string;
}

const columns: Columns<Holder> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  'E-MAIL': ({ email }) => email,
  KIND: ({ kind }) => kind,
  STATUS: ({ status }) => status,
  'EXTERNAL ID': ({ externalId }) => externalId,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
};

export function tellHolder(holder: Holder): string {
  return table([holder], columns);
}
