import { capabilities, companyKinds, verificationStatuses } from '@florin/companies-domain';
import type { CompanyView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import { type Columns, table } from '../table';
import { printPage } from './pages';

type Company = Omit<CompanyView, 'companyId'> & { readonly id: string };

const columns: Columns<Company> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  KIND: ({ kind }) => kind,
  VERIFICATION: ({ verification }) => verification,
  'LIVE ACTIVATIONS': ({ activations }) => activations.join(', '),
  CREATED: ({ createdAt }) => createdAt,
};

const kind = new Option('--kind <kind>', 'individual companies have a monthly issuance quota')
  .choices(companyKinds)
  .makeOptionMandatory();
const status = new Option('--status <status>', 'the outcome').choices(verificationStatuses).makeOptionMandatory();
const capability = new Option('--capability <capability>', 'the capability')
  .choices(capabilities)
  .makeOptionMandatory();

export function addCompanyCommands(program: Command, context: CliContext): void {
  const companies = program.command('companies').description('Manage companies.');
  const post = async (path: string, body: object): Promise<void> => {
    const company = await context.operatorApi().post<Company>(path, body);
    context.output(company, table([company], columns));
  };

  companies
    .command('list')
    .description('List all companies.')
    .action(() => printPage(context, { path: '/companies', columns, empty: 'There are no companies yet.' }));
  companies
    .command('create')
    .description('Register a company. Its keys work once the company is verified.')
    .requiredOption('--name <name>', 'name of the company')
    .addOption(kind)
    .action((body: object) => post('/companies', body));
  companies
    .command('verify <company-id>')
    .description('Set the verification outcome. No key of a company works without approval.')
    .addOption(status)
    .action((id: string, body: object) => post(`/companies/${encodeURIComponent(id)}/verification`, body));
  companies
    .command('activate <company-id>')
    .description('Activate a live capability for a company, or deactivate it with --off.')
    .addOption(capability)
    .option('--off', 'deactivate the capability')
    .action((id: string, { off = false, ...body }: { readonly off?: boolean }) =>
      post(`/companies/${encodeURIComponent(id)}/activations`, { ...body, active: !off }),
    );
}
