export * from './account-entries/account-entries.projection';
export * from './account-entries/account-entries.queries';
export * from './companies/api-key-usage';
export * from './companies/companies.projection';
export * from './companies/companies.queries';
export * from './companies/companies.views';
