export { AccountAudit, type AccountSums } from './account-audit';
export * from './audit-log';
export { type AuditedEvent, type Remark } from './audited-event';
export { BooksAudit, type BooksVerdict } from './books-audit';
export * from './compare-shown';
export { type OperationAudit } from './holds';
export { operationStatuses, type OperationStatus, statusOf } from './operation-status';
