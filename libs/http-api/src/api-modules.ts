import type { Type } from '@nestjs/common';
import { ExplanationsApiModule } from './explanations/explanations-api.module';
import { LogApiModule } from './operator/v1/log-checkpoints.controller';
import { OperatorsApiModule } from './operator/v1/operators.controller';
import { AccountApiModule } from './v1/account-api.module';
import { FundingApiModule } from './v1/funding-api.module';
import { OperationsApiModule } from './v1/operations-api.module';
import { WebhooksApiModule } from './v1/webhooks-api.module';

/** The modules of all resources. The application and the spec of the operator roles both read this list. */
export const apiModules: readonly Type[] = [
  ...[OperatorsApiModule, LogApiModule, ExplanationsApiModule],
  ...[AccountApiModule, OperationsApiModule, FundingApiModule, WebhooksApiModule],
];
