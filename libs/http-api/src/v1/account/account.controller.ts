import { formatMoney } from '@florin/kernel';
import { accountIdOf, type DepositFunds } from '@florin/ledger-domain';
import { AccountEntriesQueries, type BalanceDay } from '@florin/read-models';
import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Commands } from '../../commands';
import { ApiResponse, Endpoint, type Input, type ResponseOf } from '../../endpoint';
import { amount, currency, date, environment, money, nothing, signedMoney } from '../../schemas';
import { readDays } from './days';
import { entryCount, entryKind } from './entry-kind';

const balance = z
  .strictObject({
    available: money.meta({ description: 'The funds that new operations can use' }),
    held: money.meta({ description: 'The funds reserved for operations in progress' }),
    balance: money.meta({ description: 'available + held' }),
    currency,
    environment,
  })
  .meta({ id: 'Balance', description: 'The balance of the card account' });

const range = z.strictObject({ from: date, to: date });

const day = z
  .strictObject({
    date,
    available: money.meta({ description: 'The available funds at the end of the day' }),
    held: money.meta({ description: 'The held funds at the end of the day' }),
    balance: money.meta({ description: 'available + held' }),
    entries: z
      .array(
        z
          .strictObject({
            kind: entryKind,
            count: entryCount,
            amount: signedMoney.meta({ description: 'availableDelta + heldDelta' }),
            availableDelta: signedMoney,
            heldDelta: signedMoney,
          })
          .meta({ id: 'BalanceEntries', description: 'The entries of one kind on a day, added up' }),
      )
      .meta({ description: 'The sums of the entries of each kind; empty on a day without entries' }),
  })
  .meta({ id: 'BalanceDay', description: 'The balance at the end of a day' });

const history = z
  .strictObject({
    from: date,
    to: date,
    currency,
    environment,
    data: z.array(day).meta({ description: 'The days, oldest first' }),
  })
  .meta({ id: 'BalanceHistory', description: 'The balance at the end of every day of a period' });

const funding = z.strictObject({ amount }).meta({ id: 'SandboxFunding', description: 'Sandbox funds to credit' });

@Controller()
export class AccountController {
  constructor(
    private readonly commands: Commands,
    private readonly entries: AccountEntriesQueries,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '/api/v1/balance',
    operationId: 'balance.get',
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
    method: 'GET',
    path: '/api/v1/balance/history',
    operationId: 'balance.getHistory',
    tag: 'Account',
    summary: 'Read the balance per day',
    description:
      'Returns every UTC calendar day between two dates, both inclusive, at most 366: the balances at its end, and the sums of its ' +
      'entries by kind. A day without entries has the balances of the day before. A day that has not ended has the current balances.',
    scope: 'balance:read',
    rateLimit: 'statements',
    query: range,
    response: { status: 200, description: 'The days, oldest first.', schema: history },
    errors: ['statement_too_large'],
  })
  async readHistory({ caller, query }: Input<undefined, typeof range>): Promise<ResponseOf<typeof history>> {
    const { from, until } = readDays(query);
    const days = await this.entries.history(caller, from, until);
    return { ...query, currency: 'USD', environment: caller.environment, data: days.map(dayOf) };
  }

  @Endpoint({
    method: 'POST',
    path: '/api/v1/sandbox/funding',
    operationId: 'sandbox.fund',
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

function dayOf({ date, available, held, entries }: BalanceDay): z.output<typeof day> {
  return {
    date,
    available: formatMoney(available),
    held: formatMoney(held),
    balance: formatMoney(available + held),
    entries: entries.map(({ kind, count, availableDelta, heldDelta }) => ({
      kind,
      count,
      amount: formatMoney(availableDelta + heldDelta),
      availableDelta: formatMoney(availableDelta),
      heldDelta: formatMoney(heldDelta),
    })),
  };
}
