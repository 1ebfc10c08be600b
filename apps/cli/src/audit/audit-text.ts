import { operationStatuses, type Remark } from '@florin/audit';
import { printable, table } from '../table';
import type { AuditReport, EnvironmentReport } from './audit-report';

/** Of flaws all are told; notes are many where much is under way, and programs get all of them. */
const mostNotes = 20;

export function auditText(report: AuditReport): string {
  const { flaws, notes, account, events, streams, environments } = report;
  const whose = account === undefined ? 'The books' : `The books of ${account}`;
  const verdict =
    flaws.length === 0
      ? `${whose} are right: ${events} events in ${streams} streams.`
      : `${whose} are NOT right, ${flaws.length} flaws in ${events} events of ${streams} streams:\n${lines(flaws)}`;
  const more = notes.length > mostNotes ? [`  and ${notes.length - mostNotes} more; --json lists all of them`] : [];
  return [
    verdict,
    environments.length === 0 ? 'No account has been used yet.' : money(environments),
    ...(environments.length === 0 ? [] : [operations(environments)]),
    `Read models: ${report.readModels.map(({ name, state }) => `${name} ${sayings[state]}`).join(', ')}.`,
    ...(notes.length === 0 ? [] : [['Notes:', lines(notes.slice(0, mostNotes)), ...more].join('\n')]),
  ].join('\n\n');
}

const sayings = {
  agrees: 'agrees with the log',
  differs: 'DIFFERS from the log',
  behind: 'is behind the log',
} as const;

function lines(remarks: readonly Remark[]): string {
  return remarks.map(({ at, text }) => `  ${printable(`${at}: ${text}`)}`).join('\n');
}

function money(environments: readonly EnvironmentReport[]): string {
  return table(environments, {
    ENVIRONMENT: ({ environment }) => environment,
    ACCOUNTS: ({ accounts }) => String(accounts),
    DEPOSITED: ({ deposited }) => deposited,
    FEES: ({ fees }) => fees,
    CAPTURED: ({ captured }) => captured,
    HELD: ({ held }) => held,
    AVAILABLE: ({ available }) => available,
  });
}

function operations(environments: readonly EnvironmentReport[]): string {
  const counts = operationStatuses.map((status) => [
    status.toUpperCase().replace('_', ' '),
    ({ operations: byStatus }: EnvironmentReport) => String(byStatus[status]),
  ]);
  const columns = { OPERATIONS: ({ environment }: EnvironmentReport) => environment };
  return table(environments, { ...columns, ...(Object.fromEntries(counts) as typeof columns) });
}
