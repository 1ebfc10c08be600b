import { formatMoney } from '@florin/kernel';
import { accountIdOf, type DepositFunds } from '@florin/ledger-domain';
import { AccountEntriesQueries } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { amount, environment, money } from '../../schemas';

const balance = z.strictObject({
  available: money.meta({ description: 'The funds that new operations can use' }),
  held: money.meta({ description: 'The funds reserved for operations in progress' }),
  balance: money.meta({ description: 'available + held' }),
  currency: z.literal('USD'),
  environment,
});

const funding = z.strictObject({ amount });
const nothing = z.strictObject({});

@Controller()
export class AccountController {
  constructor(
    private readonly commands: Commands,
    private readonly entries: AccountEntriesQueries,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/balance',
    tag: 'Account',
    summary: 'Read the balance of the card account',
    scope: 'balance:read',
    response: { status: 200, description: 'The current balance.', schema: balance },
  })
  async readBalance({ caller }: Input): Promise<ResponseOf<typeof balance>> {
    const { available, held } = await this.entries.balance(caller);
    return {
      available: formatMoney(available),
      held: formatMoney(held),
      balance: formatMoney(available + held),
      currency: 'USD',
      environment: caller.environment,
    };
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/funding',
    tag: 'Sandbox',
    summary: 'Credit sandbox funds',
    description: 'Adds the amount to the available balance of the sandbox account. There is no fee.',
    scope: 'cards:write',
    sandboxOnly: true,
    idempotency: 'required',
    body: funding,
    response: { status: 201, description: 'The funds are available.', schema: nothing, example: {} },
    errors: ['amount_below_minimum'],
  })
  async fund(input: Input<typeof funding>): Promise<ResponseOf<typeof nothing>> {
    const { body, caller, idempotency } = input;
    const { commandId: depositId, fingerprint } = idempotency!;
    const accountId = accountIdOf(caller.companyId, caller.environment);
    const command: DepositFunds = {
      type: 'DepositFunds',
      data: {
        accountId,
        depositId,
        reference: depositId,
        amount: body.amount,
        fee: '0.00',
        description: 'Sandbox funding',
        fingerprint,
      },
    };
    const { repeated } = await this.commands.execute(input, {
      context: 'ledger',
      key: accountId,
      id: depositId,
      command,
      refusals: { account_limit_exceeded: 'validation_failed', deposit_of_nothing: 'amount_below_minimum' },
    });
    return new ApiResponse({}, { replayed: repeated });
  }
}
