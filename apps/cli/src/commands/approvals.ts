import type { ApprovalView } from '@florin/read-models';
import type { Command } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { type Columns, money } from '../table';
import { addPageOptions, type ListQuery, printPage } from './pages';

/** An approval as the API returns it. */
export type Approval = Omit<ApprovalView, 'createdAt'> & { readonly proposedAt: string };

const columns: Columns<Approval> = {
  ID: ({ id }) => id,
  SUBJECT: ({ subject }) => `${subject.kind} ${subject.id}`,
  AMOUNT: money(({ amount }) => amount),
  STATUS: ({ status }) => status,
  'PROPOSED BY': ({ proposedBy }) => proposedBy.id,
  PROPOSED: ({ proposedAt }) => proposedAt,
  DECISION: ({ decision }) => JSON.stringify(decision),
};

export function addApprovalCommands(program: Command, context: CliContext): void {
  const approvals = program.command('approvals').description('Decisions that take two operators.');
  addPageOptions(approvals.command('list'))
    .description('List proposals that wait for a different operator. Confirm a review with the same reviews resolve.')
    .action((query: ListQuery) =>
      printPage(context, {
        api: context.operatorApi(),
        path: '/approvals',
        columns,
        plural: 'pending approvals',
        query,
      }),
    );
  approvals
    .command('withdraw <approval-id>')
    .description('Withdraw a proposal that is not executed yet, also a confirmed one.')
    .action(async (id: string) => {
      const withdrawn = await context.operatorApi().post<Approval>(apiPath`/approvals/${id}/withdraw`);
      const { kind, id: subject } = withdrawn.subject;
      context.output(withdrawn, `Withdrew the proposal about ${kind} ${subject}.`);
    });
}
