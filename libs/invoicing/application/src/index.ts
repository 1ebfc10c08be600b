export * from './due-invoices.port';
export * from './invoice-clock';
export * from './invoices.process';
export * from './invoicing-options';
export * from './invoicing.module';
export * from './settlement.process';
