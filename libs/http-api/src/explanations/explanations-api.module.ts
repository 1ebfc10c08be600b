import { ExplanationQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { ExplanationsController } from '../operator/v1/explanations.controller';
import { BalanceExplanationController } from '../v1/account/balance-explanation.controller';
import { Explanations } from './explanations';

/** The events behind an object: of the balance for clients, of everything for operators. */
@Module({
  controllers: [BalanceExplanationController, ExplanationsController],
  providers: [Explanations, ExplanationQueries],
})
export class ExplanationsApiModule {}
