import { AccountEntriesQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { AccountController } from './account/account.controller';
import { StatementsController } from './account/statements.controller';

/** The card account: balance, statement and sandbox funding. */
@Module({ controllers: [AccountController, StatementsController], providers: [AccountEntriesQueries] })
export class AccountApiModule {}
