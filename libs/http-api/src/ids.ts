import { isUuid } from '@florin/kernel';
import { z } from 'zod';

/** An id that Florin assigns. It is a schema with this name in the OpenAPI document. */
const idOf = (name: string, description: string, example: string) =>
  z
    .string()
    .refine(isUuid, { error: 'must be an id that Florin has assigned' })
    .meta({ id: name, description, format: 'uuid', examples: [example] });

/** The same object has the same id in all examples. */
export const exampleIds = {
  adjustment: '7f3c2b1a-5d4e-4f60-8a9b-0c1d2e3f4a5b',
  apiKey: '2d9e8f70-1a2b-4c3d-9e4f-5a6b7c8d9e0f',
  approval: '6e5d4c3b-2a19-5087-9f6e-5d4c3b2a1908',
  card: '5b6a9d3c-1e57-5c4e-9d53-0f8b4a4e2f0c',
  company: 'c0ffee00-0000-4000-8000-000000000001',
  delivery: '8c7b6a59-4837-5261-90ab-cdef01234567',
  deposit: '9d8c7b6a-5948-5372-a1b0-c9d8e7f6a5b4',
  entry: '1b2c3d4e-5f60-5718-92a3-b4c5d6e7f809',
  holder: '3c1e57f0-2f0c-5c4e-9d53-5b6a9d3c1e57',
  invoice: '4a5b6c7d-8e9f-5a0b-9c1d-2e3f4a5b6c7d',
  note: 'a1b2c3d4-e5f6-5789-8abc-def012345678',
  operation: '0f8b4a4e-2f0c-5c4e-9d53-5b6a9d3c1e57',
  operator: 'b2c3d4e5-f607-4819-9a2b-3c4d5e6f7081',
  storedEvent: 'c3d4e5f6-0718-4293-a4b5-c6d7e8f90a1b',
  transaction: 'd4e5f607-1829-53a4-b5c6-d7e8f90a1b2c',
  webhookEndpoint: 'e5f60718-293a-54b5-86d7-e8f90a1b2c3d',
} as const;

export const adjustmentId = idOf(
  'AdjustmentId',
  'The id of an adjustment; also the `reference` of its statement entry',
  exampleIds.adjustment,
);
export const apiKeyId = idOf('ApiKeyId', 'The id of an API key. It is not secret', exampleIds.apiKey);
export const approvalId = idOf('ApprovalId', 'The id of a four-eyes decision', exampleIds.approval);
export const approvalSubjectId = idOf(
  'ApprovalSubjectId',
  'The id of the review or adjustment that a decision is about',
  exampleIds.adjustment,
);
export const cardId = idOf('CardId', 'The id of a card', exampleIds.card);
export const companyId = idOf('CompanyId', 'The id of a company', exampleIds.company);
export const deliveryId = idOf('DeliveryId', 'The id of a webhook delivery', exampleIds.delivery);
export const depositId = idOf('DepositId', 'The id of a deposit from the chain', exampleIds.deposit);
export const entryId = idOf('StatementEntryId', 'The id of a statement entry', exampleIds.entry);
export const holderId = idOf('HolderId', 'The id of a cardholder', exampleIds.holder);
export const invoiceId = idOf('InvoiceId', 'The id of a funding invoice', exampleIds.invoice);
export const noteId = idOf('IssuerNoteId', 'The id of a late report of the issuer', exampleIds.note);
export const operationId = idOf(
  'OperationId',
  'The id of an operation; also the `reference` of its statement entries',
  exampleIds.operation,
);
export const operatorId = idOf('OperatorId', 'The id of an operator', exampleIds.operator);
export const reviewId = idOf(
  'ReviewId',
  'The id of a review: that of its operation, invoice or deposit',
  exampleIds.operation,
);
export const storedEventId = idOf('StoredEventId', 'The id of an event in the log', exampleIds.storedEvent);
export const transactionId = idOf('TransactionId', 'The id of a card payment', exampleIds.transaction);
export const webhookEndpointId = idOf('WebhookEndpointId', 'The id of a webhook endpoint', exampleIds.webhookEndpoint);

type Id = ReturnType<typeof idOf>;

/** The path parameter of `/things/:id`. */
export const paramsOf = (id: Id) => z.strictObject({ id });

/** An id in a body. An invalid one is not found, as in a path; see `mustExist`. */
export const reference = z
  .string()
  .min(1, { error: 'must not be empty' })
  .max(128, { error: 'must have at most 128 characters' });

/** The same, documented as the id that it has to be. */
export const referenceTo = (id: Id) => reference.meta({ $ref: `#/components/schemas/${id.meta()?.id}` });
