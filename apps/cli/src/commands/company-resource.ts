import type { Command, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { addCompanyOptions, type CompanyOptions, connectCompany } from '../company-connection';
import { type Columns, details } from '../table';
import { addPageOptions, type ListQuery, type PageOptions, printPage } from './pages';

/** A kind of object in the API of companies. */
export interface CompanyResource<Row> {
  /** Such as `operation`. */
  readonly noun: string;
  readonly path: string;
  readonly columns: Columns<Row>;
  readonly filters: readonly Option[];
}

/** A command that acts with the API key of a company. */
export function companyCommand(group: Command, nameAndArguments: string): Command {
  return addCompanyOptions(group.command(nameAndArguments));
}

/** The options of a command without those that select the company. */
export function requestOf<Options extends CompanyOptions>(options: Options): Omit<Options, keyof CompanyOptions> {
  const { key: _key, company: _company, environment: _environment, ...request } = options;
  return request;
}

/** Adds the commands `list` and `show`. */
export function addReadCommands<Row>(group: Command, context: CliContext, resource: CompanyResource<Row>): void {
  const { noun, path, columns, filters } = resource;
  const list = companyCommand(group, 'list').description(`List the ${noun}s of a company, newest first.`);
  for (const filter of filters) list.addOption(filter);
  addPageOptions(list).action((options: CompanyOptions & PageOptions) => {
    const query = requestOf(options) as ListQuery;
    return printPage(context, { api: connectCompany(context, options), path, columns, plural: `${noun}s`, query });
  });
  companyCommand(group, `show <${noun}-id>`)
    .description(`Show all fields of ${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}.`)
    .action(async (id: string, options: CompanyOptions) => {
      const object = await connectCompany(context, options).get<object>(`${path}${apiPath`/${id}`}`);
      context.output(object, details(object));
    });
}
