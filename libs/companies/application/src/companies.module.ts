import { Module } from '@nestjs/common';
import { ApiKeyController } from './api-key.controller';
import { CompanyController } from './company.controller';

@Module({ controllers: [CompanyController, ApiKeyController] })
export class CompaniesModule {}
