import { accountIdOf } from '@florin/ledger-domain';
import type { OperationRequest } from '@florin/operations-domain';
import type { z } from 'zod';
import type { Caller } from '../../caller';
import { mustExist } from '../../must-exist';
import type { quoteBody } from './operation-schemas';

/** The command data of a body and its caller. Field by field, because spreading the body takes several times as long. */
export function operationRequest(
  { companyId, companyKind, environment }: Caller,
  body: z.output<typeof quoteBody>,
): OperationRequest {
  const { type, amount } = body;
  if (type === 'issue') mustExist(body.holderId, 'holder');
  if (type === 'topup' || type === 'unload') mustExist(body.cardId, 'card');
  return {
    companyId,
    companyKind,
    environment,
    accountId: accountIdOf(companyId, environment),
    type,
    productId: type === 'unload' ? undefined : body.productId,
    amount,
    holderId: type === 'issue' ? body.holderId : undefined,
    cardId: type === 'topup' || type === 'unload' ? body.cardId : undefined,
    name: type === 'issue' ? body.name : undefined,
    recipient: type === 'service' ? body.recipient : undefined,
  };
}
