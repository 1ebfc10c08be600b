import { operatorRoles } from '@florin/companies-domain';
import type { OperatorView } from '@florin/read-models';
import { Argument, type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import { type Columns, table } from '../table';
import { actorText } from './actor-text';
import { printPage } from './pages';

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

const currentColumns: Columns<Partial<Operator>> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  'E-MAIL': ({ email }) => email,
  ROLE: ({ role }) => role,
};

const roleOption = new Option('--role <role>', 'what the operator may do').choices(operatorRoles).makeOptionMandatory();
const roleArgument = new Argument('<role>', 'what the operator may do').choices(operatorRoles);

const roleHelp = `
Roles: viewer reads everything; support also changes the status of holders and erases them; finance reads, decides on
reviews, deposits and adjustments, and verifies recorded blocks; admin does everything.`;

export function addOperatorCommands(program: Command, context: CliContext): void {
  const operators = program.command('operators').description('Manage operators, their roles and tokens.');
  const pathOf = (id: string, action: string): string => `/operators/${encodeURIComponent(id)}/${action}`;
  const issue = async (path: string, body?: object): Promise<void> => {
    const issued = await context.operatorApi().post<IssuedToken>(path, body);
    const row = table([issued], { ID: ({ id }) => id, TOKEN: ({ token }) => token });
    context.output(issued, `${row}\n\nSave the token now: Florin does not store it and cannot show it again.`);
  };
  const change = async (path: string, body?: object): Promise<void> => {
    const changed = await context.operatorApi().post<Operator>(path, body);
    context.output(changed, table([changed], columns));
  };

  operators
    .command('list')
    .description('List all operators.')
    .action(() => printPage(context, { path: '/operators', columns, empty: 'There are no operators yet.' }));
  operators
    .command('create')
    .description('Create an operator and show the token once.')
    .requiredOption('--name <name>', 'name of the person')
    .requiredOption('--email <address>', 'e-mail address; no other enabled operator may have it')
    .addOption(roleOption)
    .addHelpText('after', roleHelp)
    .action((body: object) => issue('/operators', body));
  operators
    .command('role <operator-id>')
    .description('Change the role of an operator.')
    .addArgument(roleArgument)
    .addHelpText('after', roleHelp)
    .action((id: string, role: string) => change(pathOf(id, 'role'), { role }));
  operators
    .command('rotate <operator-id>')
    .description('Replace the token of an operator and show the new one once. The old token ends at once.')
    .action((id: string) => issue(pathOf(id, 'rotate')));
  operators
    .command('disable <operator-id>')
    .description('Disable an operator permanently. Takes effect on every replica within seconds.')
    .action((id: string) => change(pathOf(id, 'disable')));
  operators
    .command('me')
    .description('Show the operator of the token in use.')
    .action(async () => {
      const current = await context.operatorApi().get<Partial<Operator>>('/operators/me');
      context.output(current, table([current], currentColumns));
    });
}
