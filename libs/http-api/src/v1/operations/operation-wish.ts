import { accountIdOf } from '@florin/ledger-domain';
import type { OperationWish } from '@florin/operations-domain';
import type { z } from 'zod';
import type { Caller } from '../../caller';
import { mustExist } from '../../must-exist';
import type { quoteBody } from './operation-schemas';

/** What a client asks for, with who asks. Field by field: copying the body as a whole takes several times as long. */
export function wishOf(
  { companyId, companyKind, environment }: Caller,
  body: z.output<typeof quoteBody>,
): OperationWish {
  const { type, productId, amount } = body;
  if (type === 'issue') mustExist(body.holderId, 'holder');
  if (type === 'topup') mustExist(body.cardId, 'card');
  return {
    companyId,
    companyKind,
    environment,
    accountId: accountIdOf(companyId, environment),
    type,
    productId,
    amount,
    holderId: type === 'issue' ? body.holderId : undefined,
    cardId: type === 'topup' ? body.cardId : undefined,
    name: type === 'issue' ? body.name : undefined,
    recipient: type === 'service' ? body.recipient : undefined,
  };
}
