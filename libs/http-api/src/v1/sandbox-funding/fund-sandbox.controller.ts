import { accountIdOf, type DepositFunds } from '@florin/ledger-domain';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { type ApiResponse, response } from '../../api-response';
import { Commands } from '../../commands';
import { Endpoint } from '../../endpoint';
import type { Input } from '../../input';
import { amount } from '../../schemas';

const funding = z.strictObject({ amount });
const nothing = z.strictObject({});

@Controller()
export class FundSandboxController {
  constructor(private readonly commands: Commands) {}

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
  async fund(input: Input<typeof funding>): Promise<ApiResponse<Record<string, never>>> {
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
    return response(201, {}, { replayed: repeated });
  }
}
