import { formatMoney } from '@florin/kernel';
import { AccountEntriesQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ApiResponse, response } from '../../api-response';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { environment, money } from '../../schemas';

const balance = z.strictObject({
  available: money.meta({ description: 'The funds that new operations can use' }),
  held: money.meta({ description: 'The funds reserved for operations in progress' }),
  balance: money.meta({ description: 'available + held' }),
  currency: z.literal('USD'),
  environment,
});

@Controller()
export class ReadBalanceController {
  constructor(private readonly entries: AccountEntriesQueries) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/balance',
    tag: 'Account',
    summary: 'Read the balance of the card account',
    scope: 'balance:read',
    response: { status: 200, description: 'The current balance.', schema: balance },
  })
  async read({ caller }: Input): Promise<ApiResponse<z.output<typeof balance>>> {
    const { companyId, environment } = caller;
    const { available, held } = await this.entries.balance({ companyId, environment });
    return response(200, {
      available: formatMoney(available),
      held: formatMoney(held),
      balance: formatMoney(available + held),
      currency: 'USD',
      environment,
    });
  }
}
