import { accountIdOf } from '@florin/ledger-domain';
import type { z } from 'zod';
import type { Caller } from '../../input';
import { mustExist } from '../../must-exist';
import type { quoteBody } from './operation-schemas';

/** What a client asks for, with who asks. */
export function wishOf<Body extends z.output<typeof quoteBody>>(caller: Caller, body: Body) {
  if (body.type === 'issue') mustExist(body.holderId, 'holder');
  if (body.type === 'topup') mustExist(body.cardId, 'card');
  const { companyId, companyKind, environment } = caller;
  return { ...body, companyId, companyKind, environment, accountId: accountIdOf(companyId, environment) };
}
