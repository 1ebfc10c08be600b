import { Module } from '@nestjs/common';
import { ApprovalsController } from './approvals.controller';
import { CompaniesController } from './companies.controller';

@Module({ controllers: [CompaniesController, ApprovalsController] })
export class CompaniesModule {}
