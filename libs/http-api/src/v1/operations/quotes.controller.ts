import type { Quote, QuoteOperation } from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { explainedEnum, money } from '../../schemas';
import { operationPermissions } from './operation-permissions';
import { quoteBody } from './operation-schemas';
import { operationRequest } from './operation-request';

const line = z
  .strictObject({
    kind: explainedEnum<'amount' | 'fixed_fee' | 'percent_fee'>('QuoteLineKind', 'A part of the total', {
      amount: 'The amount for the card or the recipient',
      fixed_fee: 'The fixed part of the fee',
      percent_fee: 'The percentage of the amount',
    }),
    amount: money,
  })
  .meta({ id: 'QuoteLine', description: 'A part of the total' });

const quote = z
  .strictObject({
    amount: money,
    fee: money,
    total: money.meta({ description: 'amount + fee: send it as the `expectedTotal` of the operation' }),
    breakdown: z.array(line).meta({ description: 'The parts of the total' }),
  })
  .meta({ id: 'Quote', description: 'The price of an operation' });

@Controller()
export class QuotesController {
  constructor(private readonly commands: Commands) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/quotes',
    operationId: 'quotes.create',
    tag: 'Operations',
    summary: 'Get the price of an operation',
    description:
      'Takes the body of an operation without `expectedTotal`, and applies the same checks except those of quota and funds. ' +
      'No funds are reserved. A request with the same `Idempotency-Key` returns the original price, even if it has changed.',
    scope: ['cards:write', 'services:write'],
    permissionsOf: operationPermissions,
    body: quoteBody,
    response: { status: 200, description: 'The current price.', schema: quote, example: exampleQuote() },
    errors: [
      'not_found',
      'product_unavailable',
      'amount_below_minimum',
      'holder_not_active',
      'card_not_active',
      'insufficient_card_balance',
    ],
  })
  async create(input: Input<typeof quoteBody>): Promise<ResponseOf<typeof quote>> {
    const { body, caller, idempotency } = input;
    const request = operationRequest(caller, body);
    const repeatable = idempotency && { quoteId: idempotency.commandId, fingerprint: idempotency.fingerprint };
    const command: QuoteOperation = { type: 'QuoteOperation', data: { repeatable, ...request } };
    const key = request.accountId;
    const { answer: price, repeated } = await this.commands.execute<Quote>(input, {
      context: 'operations',
      key,
      command,
    });
    return new ApiResponse(price, { replayed: repeated });
  }
}

function exampleQuote() {
  return {
    amount: '100.00',
    fee: '3.20',
    total: '103.20',
    breakdown: [
      { kind: 'amount', amount: '100.00' },
      { kind: 'fixed_fee', amount: '3.00' },
      { kind: 'percent_fee', amount: '0.20' },
    ],
  };
}
