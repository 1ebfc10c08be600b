export * from './account/account.decider';
export * from './account/account.messages';
export * from './account/account.state';
export * from './account/statement-entries';
