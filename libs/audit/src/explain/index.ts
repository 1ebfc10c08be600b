export { type AsOf, parseAsOf } from './as-of';
export { type AccountDays, BalanceReader, type DayBound, DaysDiffer } from './balance-reader';
export { type Effect } from './effects';
export * from './explain';
export { type AccountDay, explainDay, type ExplainedDay, foldByDay } from './explained-days';
export { ExplanationReader, type ExplanationIndex } from './explanation-reader';
export { type LoggedEvent, loggedEvent } from './logged-event';
