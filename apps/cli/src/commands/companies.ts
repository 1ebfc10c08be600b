import { capabilities, companyKinds, verificationStatuses } from '@florin/companies-domain';
import type { CompanyView } from '@florin/read-models';
import { type Command, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { type Columns, table } from '../table';
import { addPageOptions, type ListQuery, printPage } from './pages';

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

  addPageOptions(companies.command('list'))
    .description('List companies.')
    .action((query: ListQuery) =>
      printPage(context, { api: context.operatorApi(), path: '/companies', columns, plural: 'companies', query }),
    );
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
    .action((id: string, body: object) => post(apiPath`/companies/${id}/verification`, body));
  for (const verb of ['activate', 'deactivate']) {
    companies
      .command(`${verb} <company-id>`)
      .description(`${verb === 'activate' ? 'Activate' : 'Deactivate'} a live capability of a company.`)
      .addOption(capability)
      .action((id: string, body: object) =>
        post(apiPath`/companies/${id}/activations`, { ...body, active: verb === 'activate' }),
      );
  }
}
