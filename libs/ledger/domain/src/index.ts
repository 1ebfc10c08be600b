export * from './account/account.decider';
export * from './account/account.messages';
export * from './account/statement-entries';
