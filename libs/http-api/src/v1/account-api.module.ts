import { AccountEntriesQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { ReadStatementController } from './account-statements/read-statement.controller';
import { ReadBalanceController } from './balance/read-balance.controller';
import { FundSandboxController } from './sandbox-funding/fund-sandbox.controller';

/** The card account: balance, statement and sandbox funding. */
@Module({
  controllers: [FundSandboxController, ReadBalanceController, ReadStatementController],
  providers: [AccountEntriesQueries],
})
export class AccountApiModule {}
