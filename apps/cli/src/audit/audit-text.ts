import { type Finding, operationStatuses } from '@florin/audit';
import { notProvenText } from '../event-log/evidence-report';
import { printable, table } from '../table';
import type { AuditReport, EnvironmentReport } from './audit-report';

/** The text lists all flaws but limits the notes; `--json` has all of them. */
const maxNotes = 20;

export function auditText(report: AuditReport): string {
  const { flaws, notes, account, events, streams, environments } = report;
  const scope = `${events} events in ${streams} streams${account === undefined ? '' : ` of ${account}`}`;
  const summary =
    flaws.length === 0
      ? `Audited ${scope}. No problems found.`
      : `Audited ${scope}. PROBLEMS FOUND: ${flaws.length}\n${lines(flaws)}`;
  const more = notes.length > maxNotes ? [`  and ${notes.length - maxNotes} more; --json lists all of them`] : [];
  return [
    summary,
    environments.length === 0 ? 'No account has been used yet.' : money(environments),
    ...(environments.length === 0 ? [] : [operations(environments)]),
    `Read models: ${report.readModels.map(({ name, state }) => `${name} ${stateTexts[state]}`).join(', ')}.`,
    ...(notes.length === 0 ? [] : [['Notes:', lines(notes.slice(0, maxNotes)), ...more].join('\n')]),
    ...(report.evidence.notProven.length === 0 ? [] : [notProvenText(report.evidence.notProven).trim()]),
  ].join('\n\n');
}

const stateTexts = {
  agrees: 'matches the log',
  differs: 'DIFFERS from the log',
  behind: 'is behind the log',
  rebuilt: 'was being rebuilt',
} as const;

function lines(findings: readonly Finding[]): string {
  return findings.map(({ at, text }) => `  ${printable(`${at}: ${text}`)}`).join('\n');
}

function money(environments: readonly EnvironmentReport[]): string {
  return table(environments, {
    ENVIRONMENT: ({ environment }) => environment,
    ACCOUNTS: ({ accounts }) => String(accounts),
    DEPOSITED: ({ deposited }) => deposited,
    ADJUSTED: ({ adjusted }) => adjusted,
    FEES: ({ fees }) => fees,
    CAPTURED: ({ captured }) => captured,
    REFUNDED: ({ refunded }) => refunded,
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
