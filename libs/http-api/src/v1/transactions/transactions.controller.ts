import { CLOCK } from '@florin/event-sourcing';
import { canonicalJson, type Clock, randomId, sha256 } from '@florin/kernel';
import { accountIdOf } from '@florin/ledger-domain';
import type { CardPayment, RecordTransaction } from '@florin/operations-domain';
import { TransactionQueries, type TransactionView } from '@florin/read-models';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { mustExist } from '../../must-exist';
import { Cursors, pageOf, pageQuery } from '../../pages';
import { amountOf, id, reference, text, timestampInput } from '../../schemas';
import {
  country,
  merchant,
  transaction,
  transactionBody,
  transactionStatus,
  transactionType,
} from './transaction-schemas';

const filters = z.strictObject({
  ...pageQuery,
  cardId: id.optional().meta({ description: 'Only payments with this card' }),
  type: transactionType.optional().meta({ description: 'Only payments of this type' }),
  status: transactionStatus.optional().meta({ description: 'Only payments with this status' }),
  from: timestampInput.optional().meta({ description: 'Only payments at this time or later' }),
  to: timestampInput.optional().meta({ description: 'Only payments at this time or earlier' }),
});
const transactions = pageOf(transaction);

const byOccurrence = ({ occurredAt, id }: TransactionView) => ({ createdAt: occurredAt, id });

const simulation = z
  .strictObject({
    cardId: reference.meta({ description: 'The card that is used' }),
    amount: amountOf('The amount in US dollars', '12.50'),
    merchant,
    type: transactionType.default('purchase'),
    country: country.default('US'),
    description: text(500)
      .optional()
      .meta({ examples: ['Two espressos'] }),
  })
  .refine(({ amount, type }) => amount !== '0.00' || type === 'verification', {
    path: ['amount'],
    error: 'must be at least 0.01, unless it is a verification',
  });

@Controller()
export class TransactionsController {
  constructor(
    private readonly commands: Commands,
    private readonly queries: TransactionQueries,
    private readonly cursors: Cursors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/transactions',
    tag: 'Transactions',
    summary: 'List card payments',
    description: 'Returns card payments, newest first. Operations are not included; see the account statement.',
    scope: 'operations:read',
    query: filters,
    response: { status: 200, description: 'A page of transactions.', schema: transactions },
  })
  list(input: Input<undefined, typeof filters>): Promise<ResponseOf<typeof transactions>> {
    return this.cursors.readPage(input, byOccurrence, (wanted, page) => this.queries.list(input.caller, wanted, page));
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/transactions',
    tag: 'Sandbox',
    summary: 'Simulate a card payment',
    description:
      'A `refund` increases the balance of the card, a `verification` does not change it, and every other type decreases it. ' +
      'The payment is `declined` if the balance is too low or the card is not active.',
    scope: 'cards:write',
    sandboxOnly: true,
    body: simulation,
    response: { status: 201, description: 'The transaction, `completed` or `declined`.', schema: transaction },
    errors: ['not_found'],
  })
  async simulate(input: Input<typeof simulation>): Promise<ResponseOf<typeof transaction>> {
    const { body, caller, idempotency } = input;
    const { cardId, description = '', ...details } = body;
    mustExist(cardId, 'card');
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const transactionId = idempotency?.commandId ?? randomId();
    const fingerprint = idempotency?.fingerprint ?? sha256(canonicalJson(body));
    const occurredAt = this.clock.now().toISOString();
    const payment: CardPayment = {
      ...details,
      ...{ transactionId, reference: transactionId, status: 'completed', currency: 'USD', description, occurredAt },
    };
    const command: RecordTransaction = {
      type: 'RecordTransaction',
      data: { transactionId, cardId, accountId, payment, fingerprint },
    };
    const { answer: recorded, repeated } = await this.commands.execute<CardPayment>(input, {
      context: 'operations',
      key: accountId,
      id: transactionId,
      command,
    });
    return new ApiResponse(transactionBody(cardId, recorded), { replayed: repeated });
  }
}
