import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, randomId, sha256 } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { CardPayment, PaymentAnswer, RecordTransaction } from '@florin/operations-domain';
import { TransactionQueries, type TransactionView } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type IdInput, type Input, type RequestOrigin, type ResponseOf } from '../../endpoint';
import { mustBeFound, mustExist } from '../../must-exist';
import { cardId, exampleIds, paramsOf, referenceTo, transactionId } from '../../ids';
import { amountOf, text } from '../../schemas';
import {
  country,
  hasWholeOriginal,
  merchant,
  merchantCategory,
  original,
  transaction,
  transactionBody,
  transactionType,
  wholeOriginal,
} from './transaction-schemas';

const simulation = z
  .strictObject({
    cardId: referenceTo(cardId).meta({ description: 'The card that is used' }),
    amount: amountOf('The amount in US dollars', '12.50'),
    merchant,
    type: transactionType.default('purchase'),
    capture: z.boolean().default(true).meta({ description: '`false` leaves an authorization `pending`' }),
    merchantCategory: merchantCategory.optional(),
    country: country.default('US'),
    ...original,
    description: text(500)
      .optional()
      .meta({ description: 'A description of the payment', examples: ['Two espressos'] }),
  })
  .refine(({ amount, type }) => amount !== '0.00' || type === 'verification', {
    path: ['amount'],
    error: 'must be at least 0.01, unless it is a verification',
  })
  .refine(hasWholeOriginal, wholeOriginal)
  .meta({
    id: 'SandboxTransaction',
    description: 'A simulated card payment',
    example: { cardId: exampleIds.card, amount: '12.50', merchant: 'Coffee House' },
  });

const partAmount = (description: string) =>
  amountOf(description, '12.50')
    .refine((amount) => amount !== '0.00', { error: 'must be at least 0.01' })
    .optional();
const clearing = z
  .strictObject({
    amount: partAmount('By default what is left of the authorization'),
    final: z.boolean().default(true).meta({ description: '`false` keeps the rest of the authorization pending' }),
  })
  .meta({ id: 'SandboxClearing', description: 'A simulated clearing' });
const refund = z
  .strictObject({ amount: partAmount('By default everything that was cleared') })
  .meta({ id: 'SandboxRefund', description: 'A simulated refund' });

const change = {
  method: 'POST',
  tag: 'Sandbox',
  scope: 'cards:write',
  sandboxOnly: true,
  params: paramsOf(transactionId),
  errors: ['idempotency_conflict'],
} as const;

const changed = { status: 200, description: 'The changed transaction.', schema: transaction } as const;

type Changed = Promise<ResponseOf<typeof transaction>>;

/** Both contradict what is known about the payment, and change nothing. */
const refusals = { payment_mismatch: 'idempotency_conflict', payment_settled: 'idempotency_conflict' } as const;

/** Simulates what the issuer reports about payments with a sandbox card. */
@Controller()
export class SandboxTransactionsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: TransactionQueries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/transactions',
    operationId: 'sandbox.createTransaction',
    tag: 'Sandbox',
    summary: 'Simulate a card payment',
    description:
      'A `refund` increases the balance of the card, a `verification` does not change it, and every other type decreases it. ' +
      'The payment is `declined` if the card is not active, does not allow it, or has too little available.',
    scope: 'cards:write',
    sandboxOnly: true,
    body: simulation,
    response: {
      status: 201,
      description: 'The transaction, `completed`, `declined`, or `pending` without capture.',
      schema: transaction,
    },
    errors: ['not_found'],
  })
  simulate(input: Input<typeof simulation>): Changed {
    const { cardId, capture, description = '', ...details } = input.body;
    mustExist(cardId, 'card');
    const status = capture ? 'completed' : 'pending';
    return this.record(input, cardId, { ...details, status, description });
  }

  @Endpoint({
    ...change,
    path: '/api/v1/sandbox/transactions/:id/clear',
    operationId: 'sandbox.clearTransaction',
    summary: 'Clear an authorization',
    description:
      'Takes the amount off the card: all of the authorization, less, or more as far as the card has it. ' +
      'It can be cleared several times.',
    body: clearing,
    response: changed,
    errors: ['idempotency_conflict', 'insufficient_card_balance'],
  })
  clear(input: IdInput<typeof clearing>): Changed {
    const clearingId = input.idempotency?.commandId ?? randomId();
    return this.report(input, { status: 'completed', clearing: { clearingId, ...input.body } });
  }

  @Endpoint({
    ...change,
    path: '/api/v1/sandbox/transactions/:id/reverse',
    operationId: 'sandbox.reverseTransaction',
    summary: 'Reverse a payment',
    description: 'Releases what is not cleared. Of a completed payment, returns everything that was cleared.',
    response: changed,
  })
  reverse(input: IdInput): Changed {
    return this.report(input, { status: 'reversed' });
  }

  @Endpoint({
    ...change,
    path: '/api/v1/sandbox/transactions/:id/expire',
    operationId: 'sandbox.expireTransaction',
    summary: 'Let an authorization expire',
    description: 'Releases what is not cleared.',
    response: changed,
  })
  expire(input: IdInput): Changed {
    return this.report(input, { status: 'expired' });
  }

  @Endpoint({
    ...change,
    path: '/api/v1/sandbox/transactions/:id/refund',
    operationId: 'sandbox.refundTransaction',
    summary: 'Refund a payment',
    description:
      'Returns what was cleared to the card, in one or several parts. Each is a transaction of type `refund`.',
    body: refund,
    response: { status: 201, description: 'The transaction of the refund.', schema: transaction },
  })
  async refund(input: IdInput<typeof refund>): Changed {
    const paid = await this.find(input);
    const { cardId, merchant, country, description, clearedAmount, merchantCategory } = paid;
    const amount = input.body.amount ?? clearedAmount;
    const details = { merchant, country, description, ...(merchantCategory !== undefined && { merchantCategory }) };
    return this.record(input, cardId, { ...details, type: 'refund', status: 'completed', amount, refundOf: paid.id });
  }

  /** A new transaction. */
  private async record(
    input: RequestOrigin & Pick<Input, 'caller' | 'idempotency'> & { readonly body: object },
    cardId: string,
    details: Omit<CardPayment, 'transactionId' | 'reference' | 'currency' | 'occurredAt'>,
  ): Changed {
    const { body, caller, idempotency } = input;
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const transactionId = idempotency?.commandId ?? randomId();
    const fingerprint = idempotency?.fingerprint ?? sha256(canonicalJson(body));
    const reportedAt = this.clock.now().toISOString();
    const facts = { transactionId, reference: transactionId, currency: 'USD', occurredAt: reportedAt };
    const command: RecordTransaction = {
      type: 'RecordTransaction',
      data: { transactionId, cardId, accountId, payment: { ...details, ...facts }, fingerprint, reportedAt },
    };
    const { answer, repeated } = await this.commands.execute<PaymentAnswer>(input, {
      ...{ context: 'operations', key: accountId, id: transactionId, command, refusals },
    });
    return new ApiResponse(transactionBody(cardId, answer, answer.occurredAt), { replayed: repeated });
  }

  /** A report about an existing transaction. The response is read, because it shows what earlier reports have changed. */
  private async report(
    input: RequestOrigin & Pick<IdInput, 'caller' | 'params' | 'idempotency'>,
    report: Pick<CardPayment, 'status' | 'clearing'>,
  ): Changed {
    const { id: transactionId, cardId, ...known } = await this.find(input);
    const accountId = accountIdOf(input.caller.companyId, input.caller.environment);
    const { reference, type, amount, currency, merchant, country, description, occurredAt } = known;
    const facts = { transactionId, reference, type, amount, currency, merchant, country, description, occurredAt };
    const reportedAt = this.clock.now().toISOString();
    const command: RecordTransaction = {
      type: 'RecordTransaction',
      data: { transactionId, cardId, accountId, payment: { ...facts, ...report }, reportedAt },
    };
    const { repeated } = await this.commands.execute<PaymentAnswer>(input, {
      ...{ context: 'operations', key: accountId, command, refusals },
    });
    return new ApiResponse(await this.find(input), { replayed: repeated });
  }

  private async find({ params, caller }: Pick<IdInput, 'caller' | 'params'>): Promise<TransactionView> {
    return mustBeFound(await this.queries.find(caller, params.id), 'transaction', params.id);
  }
}
