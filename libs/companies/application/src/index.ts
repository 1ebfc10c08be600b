export * from './companies.module';
