import { operatorRoles } from '@florin/companies-domain';
import type { OperatorView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { type Columns, details, table } from '../table';
import { actorText } from './actor-text';
import { addPageOptions, type ListQuery, printPage } from './pages';

type Operator = Omit<OperatorView, 'operatorId'> & { readonly id: string };

interface IssuedToken {
  readonly id: string;
  readonly token: string;
}

const columns: Columns<Operator> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  'E-MAIL': ({ email }) => email,
  ROLE: ({ role }) => role,
  'ENDS IN': ({ hint }) => hint,
  CREATED: ({ createdAt }) => createdAt,
  'CREATED BY': ({ createdBy }) => actorText(createdBy),
  'ROLE CHANGED': ({ roleChangedAt }) => roleChangedAt,
  'ROLE CHANGED BY': ({ roleChangedBy }) => actorText(roleChangedBy),
  DISABLED: ({ disabledAt }) => disabledAt,
  'DISABLED BY': ({ disabledBy }) => actorText(disabledBy),
};

const roleOption = new Option('--role <role>', 'what the operator may do').choices(operatorRoles).makeOptionMandatory();

const roleHelp = `
Roles: viewer reads everything; support also changes the status of holders and erases them; finance reads, decides on
reviews, deposits and adjustments, and verifies recorded blocks; admin does everything.`;

export function addOperatorCommands(program: Command, context: CliContext): void {
  const operators = program.command('operators').description('Manage operators, their roles and tokens.');
  const issue = async (path: string, body?: object): Promise<void> => {
    const issued = await context.operatorApi().post<IssuedToken>(path, body);
    const row = table([issued], { ID: ({ id }) => id, TOKEN: ({ token }) => token });
    context.output(issued, `${row}\n\nSave the token now: Florin does not store it and cannot show it again.`);
  };
  const change = async (path: string, body?: object): Promise<void> => {
    const changed = await context.operatorApi().post<Operator>(path, body);
    context.output(changed, table([changed], columns));
  };

  addPageOptions(operators.command('list'))
    .description('List operators.')
    .action((query: ListQuery) =>
      printPage(context, { api: context.operatorApi(), path: '/operators', columns, plural: 'operators', query }),
    );
  operators
    .command('create')
    .description('Create an operator and show the token once.')
    .requiredOption('--name <name>', 'name of the person')
    .requiredOption('--email <address>', 'e-mail address; no other enabled operator may have it')
    .addOption(roleOption)
    .addHelpText('after', roleHelp)
    .action((body: object) => issue('/operators', body));
  operators
    .command('set-role <operator-id>')
    .description('Change the role of an operator.')
    .addOption(roleOption)
    .addHelpText('after', roleHelp)
    .action((id: string, body: object) => change(apiPath`/operators/${id}/role`, body));
  operators
    .command('rotate <operator-id>')
    .description('Replace the token of an operator and show the new one once. The old token ends at once.')
    .action((id: string) => issue(apiPath`/operators/${id}/rotate`));
  operators
    .command('disable <operator-id>')
    .description('Disable an operator permanently. Takes effect on every replica within seconds.')
    .action((id: string) => change(apiPath`/operators/${id}/disable`));
  operators
    .command('show [operator-id]')
    .description('Show an operator (default: the one of the token in use).')
    .action(async (id: string = 'me') => {
      const operator = await context.operatorApi().get<object>(apiPath`/operators/${id}`);
      context.output(operator, details(operator));
    });
}
