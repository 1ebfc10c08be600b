export * from './api-key/api-key.decider';
export * from './api-key/api-key.messages';
export * from './company/company.decider';
export * from './company/company.messages';
export * from './operator/operator-roles';
export * from './operator/operator.decider';
export * from './operator/operator.messages';
export * from './scopes';
