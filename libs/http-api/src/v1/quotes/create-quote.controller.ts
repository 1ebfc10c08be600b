import type { Quote, QuoteOperation } from '@florin/operations-domain';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ResponseOf, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { money } from '../../schemas';
import { operationPermissions, quoteBody } from '../operations/operation-schemas';
import { operationRequest } from '../operations/operation-request';

const line = z.strictObject({
  kind: z.enum(['amount', 'fixed_fee', 'percent_fee']),
  amount: money,
});

const quote = z
  .strictObject({
    amount: money,
    fee: money,
    total: money.meta({ description: 'amount + fee: send it as the `expectedTotal` of the operation' }),
    breakdown: z.array(line).meta({ description: 'What the total is made of' }),
  })
  .meta({ id: 'Quote' });

@Controller()
export class CreateQuoteController {
  constructor(private readonly commands: Commands) {}

  @Endpoint({
    method: 'POST',
    path: '/api/v1/quotes',
    tag: 'Operations',
    summary: 'Ask what an operation would cost',
    description:
      'Takes what the operation takes, without `expectedTotal`, and makes the same checks but those of quota and funds. ' +
      'Nothing is held. Under an `Idempotency-Key` the answer is kept, and a repeat gets it again, whatever the price is by then.',
    scope: ['cards:write', 'services:write'],
    permissionsOf: operationPermissions,
    body: quoteBody,
    response: { status: 200, description: 'The price now.', schema: quote, example: exampleQuote() },
    errors: ['not_found', 'product_unavailable', 'amount_below_minimum', 'holder_not_active', 'card_not_active'],
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
    return response(200, price, { replayed: repeated });
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
