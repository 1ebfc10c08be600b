import { AccountEntriesQueries, AdjustmentQueries, ApprovalQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { AccountAdjustments } from '../operator/v1/account-adjustments';
import { AdjustmentsController } from '../operator/v1/adjustments.controller';
import { ApprovalsController } from '../operator/v1/approvals.controller';
import { AccountController } from './account/account.controller';
import { StatementsController } from './account/statements.controller';

/** The card account: balance, statement and sandbox funding for clients, adjustments and approvals for operators. */
@Module({
  controllers: [AccountController, StatementsController, AdjustmentsController, ApprovalsController],
  providers: [AccountEntriesQueries, AdjustmentQueries, ApprovalQueries, AccountAdjustments],
})
export class AccountApiModule {}
