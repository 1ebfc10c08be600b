export { AccountAudit, type AccountSums } from './account-audit';
export * from './audit-log';
export { type AuditedEvent, type Finding } from './audited-event';
export * from './compare-read-models';
export * from './explain';
export { LedgerAudit, type LedgerFindings } from './ledger-audit';
export { type OperationAudit } from './operation-audit';
export { operationStatuses, type OperationStatus, statusOf } from './operation-status';
export * from './tampering';
