import type { IssuerRequest } from '@florin/operations-application';
import { duplicateKey } from '@florin/kernel';
import type { IssuerResponse } from '@florin/operations-domain';
import { z } from 'zod';
import { parseJson } from './parse-json';
import type { HttpResponse } from './post-once';

/** Lists each field, so only the fields in docs/ISSUER.md are sent. */
export function requestBody(order: IssuerRequest): string {
  const { operationId, type, companyId, productId, amount, currency, cardId, cardReference, name, recipient } = order;
  const holder = order.holder && {
    holderId: order.holder.holderId,
    name: order.holder.name,
    email: order.holder.email,
  };
  return JSON.stringify({
    operationId,
    type,
    companyId,
    productId,
    amount,
    currency,
    cardId,
    cardReference,
    holder,
    name,
    recipient,
  });
}

/** Rejects control characters, which databases and logs do not always accept. In sentences they become spaces. */
const text = (limit: number) =>
  z
    .string()
    .min(1)
    .max(limit)
    .regex(/^\P{Cc}*$/u);
const sentence = (limit: number) =>
  z
    .string()
    .min(1)
    .max(limit)
    .transform((value) => value.replaceAll(/\p{Cc}/gu, ' '));

const card = z.object({
  reference: text(128).optional(),
  last4: z.string().regex(/^[0-9]{4}$/),
  status: z.enum(['pending', 'active']).optional(),
});
const declined = z.object({
  operationId: z.string(),
  outcome: z.literal('declined'),
  code: z.string().regex(/^[a-z0-9_]{1,64}$/),
  message: sentence(500),
});
const accepted = z.object({
  operationId: z.string(),
  outcome: z.literal('accepted'),
  receipt: text(200).optional(),
});
const issueResponse = z.discriminatedUnion('outcome', [accepted.extend({ card }), declined]);
/** Only an issue creates a card; other types ignore the field. */
const otherResponse = z.discriminatedUnion('outcome', [
  accepted.extend({ card: z.undefined().catch(undefined) }),
  declined,
]);

/** Everything but a definite acceptance or decline is `unknown`. Reasons never contain the issuer's text. */
export function readResponse(order: IssuerRequest, { status, body }: HttpResponse): IssuerResponse {
  if (status !== 200 && status !== 422)
    return unknown(`the issuer responded with HTTP ${status}, neither accepted nor declined`);
  const json = parseJson(body);
  if (json === undefined) return unknown(`the issuer responded with HTTP ${status} and a body that is not JSON`);
  // Other systems of the issuer may read the other value.
  if (duplicateKey(body) !== undefined) return unknown("the issuer's response has a key twice in an object");
  const parsed = (order.type === 'issue' ? issueResponse : otherResponse).safeParse(json);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the body');
    return unknown(`the issuer's response is invalid: see ${[...new Set(fields)].join(', ')}`);
  }
  const response = parsed.data;
  if (response.operationId !== order.operationId) return unknown('the issuer responded about another operation');
  if (response.outcome === 'declined') return { outcome: 'declined', code: response.code, message: response.message };
  if (status !== 200) return unknown(`the issuer accepted, but with HTTP ${status}`);
  const { receipt, card: issued } = response;
  return {
    outcome: 'accepted',
    ...(receipt !== undefined && { receipt }),
    ...(issued && { last4: issued.last4 }),
    ...(issued?.reference !== undefined && { cardReference: issued.reference }),
    ...(issued?.status !== undefined && { cardStatus: issued.status }),
  };
}

function unknown(reason: string): IssuerResponse {
  return { outcome: 'unknown', reason };
}
