/** What tools need to compare, rebuild and explain read models. It loads neither NestJS nor Prisma. */
export * from './account-entries/account-entries.projection';
export * from './account-entries/explanation-index.query';
export * from './account-entries/statement-balances.query';
export * from './all-projections';
export type { RowFinding, RowOwner } from './comparison/compare-tables';
export { FoldedReadModels } from './comparison/folded-read-models';
export { comparedProjections } from './comparison/read-model-folds';
export { type ReadModelDifferences, ReadModelsComparison } from './comparison/read-models-comparison';
export { RecentRowsComparison } from './comparison/recent-rows-comparison';
export * from './holders/holders.projection';
export * from './operations/operation-scan.query';
export * from './operations/operations.projection';
export { ReplayInProgress } from './replay/replay-lock';
export * from './replay/replay-read-models';
export { nextSchema, oldSchema, schemaAt } from './replay/replay-tables';
export * from './webhooks/webhooks.projection';
