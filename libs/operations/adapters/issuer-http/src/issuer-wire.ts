import type { IssuerRequest } from '@florin/operations-application';
import type { IssuerResponse } from '@florin/operations-domain';
import { z } from 'zod';
import type { HttpResponse } from './post-once';

/** What docs/ISSUER.md promises to send: each field is named, so that nothing travels that is not documented. */
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

/** Control characters are refused: databases and logs do not take all of them. In sentences they become spaces. */
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

const card = z.object({ reference: text(128).optional(), last4: z.string().regex(/^[0-9]{4}$/) });
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
const answerToIssue = z.discriminatedUnion('outcome', [accepted.extend({ card }), declined]);
/** Only an issue makes a card; what is said about one otherwise does not matter. */
const answerToOthers = z.discriminatedUnion('outcome', [
  accepted.extend({ card: z.undefined().catch(undefined) }),
  declined,
]);

/** Only what is definitely a yes or a no is taken for one. Reasons never repeat what the issuer sent. */
export function readResponse(order: IssuerRequest, { status, body }: HttpResponse): IssuerResponse {
  if (status !== 200 && status !== 422)
    return unknown(`the issuer answered with HTTP ${status}, neither a yes nor a no`);
  const json = parseJson(body);
  if (json === undefined) return unknown(`the issuer answered with HTTP ${status} and a body that is not JSON`);
  const parsed = (order.type === 'issue' ? answerToIssue : answerToOthers).safeParse(json);
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the whole');
    return unknown(`the issuer's answer is not of the agreed form: see ${[...new Set(fields)].join(', ')}`);
  }
  const answer = parsed.data;
  if (answer.operationId !== order.operationId) return unknown('the issuer answered about another operation');
  if (answer.outcome === 'declined') return { outcome: 'declined', code: answer.code, message: answer.message };
  if (status !== 200) return unknown(`the issuer answered yes, but with HTTP ${status}`);
  const { receipt, card: made } = answer;
  return {
    outcome: 'accepted',
    ...(receipt !== undefined && { receipt }),
    ...(made && { last4: made.last4 }),
    ...(made?.reference !== undefined && { cardReference: made.reference }),
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function unknown(reason: string): IssuerResponse {
  return { outcome: 'unknown', reason };
}
