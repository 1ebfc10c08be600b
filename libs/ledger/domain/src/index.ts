export * from './account/account-answers';
export * from './account/account.aggregate';
export * from './account/account.decider';
export * from './account/account.messages';
export * from './account/statement-entries';
