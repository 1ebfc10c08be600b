import type { Command } from 'commander';
import { CliContext, type Terminal } from './cli-context';
import { addAdjustmentCommands } from './commands/adjustments';
import { addApprovalCommands } from './commands/approvals';
import { addArchiveCommand } from './commands/archive';
import { addAuditCommand } from './commands/audit';
import { addBalanceCommand } from './commands/balance';
import { addBusKeysCommands } from './commands/bus-keys';
import { addCardCommands } from './commands/cards';
import { addCompanyCommands } from './commands/companies';
import { addCompletionCommand } from './commands/completion';
import { addDatabaseCommands } from './commands/database';
import { addDepositCommands } from './commands/deposits';
import { addEventCommands } from './commands/events';
import { addEventStoreCommands } from './commands/eventstore';
import { addExplainCommand } from './commands/explain';
import { addHolderCommands } from './commands/holders';
import { addInitCommand } from './commands/init';
import { addInvoiceCommands } from './commands/invoices';
import { addKafkaAclsCommands } from './commands/kafka-acls';
import { addKeyCommands } from './commands/keys';
import { addListenCommand } from './commands/listen';
import { addLogCommands } from './commands/log';
import { addLogKeyCommand } from './commands/log-key';
import { addOperationCommands } from './commands/operations';
import { addOperatorCommands } from './commands/operators';
import { addProductCommands } from './commands/products';
import { addReplayCommand } from './commands/replay';
import { addReviewCommands } from './commands/reviews';
import { addTronCommands } from './commands/tron';
import { addTriggerCommand } from './commands/trigger';
import { addVaultCommands } from './commands/vault';
import { addVerifyCommand } from './commands/verify';
import { FlorinCommand } from './florin-command';
import { runnableCommands } from './florin-help';
import { readVersion } from './version';

/** In the order in which help lists them. */
const groups = [
  addBalanceCommand,
  addOperationCommands,
  addCardCommands,
  addHolderCommands,
  addInvoiceCommands,
  addEventCommands,
  addListenCommand,
  addTriggerCommand,
  addInitCommand,
  addCompanyCommands,
  addKeyCommands,
  addProductCommands,
  addReviewCommands,
  addApprovalCommands,
  addAdjustmentCommands,
  addDepositCommands,
  addTronCommands,
  addOperatorCommands,
  addVerifyCommand,
  addAuditCommand,
  addExplainCommand,
  addReplayCommand,
  addArchiveCommand,
  addLogCommands,
  addBusKeysCommands,
  addKafkaAclsCommands,
  addVaultCommands,
  addDatabaseCommands,
  addEventStoreCommands,
  addLogKeyCommand,
  addCompletionCommand,
];

const exitCodes = `
Exit codes: 0 success, 1 the command failed or found problems, 2 wrong usage, 3 it could not run or got no response.
For programs: npm run --silent florin -- <command> --json`;

export interface Program {
  readonly command: FlorinCommand;
  readonly context: CliContext;
}

/** Help must be fast: commands that need the database load their modules when they run. */
export function createProgram(terminal: Terminal): Program {
  const command = new FlorinCommand('florin')
    .description("Florin's command line for operators and developers.")
    .version(readVersion(), '--version', 'show the version')
    .helpOption('--help', 'show help for the command')
    .option('--url <address>', 'address of Florin (default: from credentials.json, or http://127.0.0.1:3000)')
    .option('--token <token>', 'operator token (default: FLORIN_OPERATOR_TOKEN, or from credentials.json)')
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', exitCodes)
    .exitOverride();
  const context = new CliContext(command, terminal);
  command.configureOutput({
    writeOut: (text) => terminal.print(text.trimEnd()),
    writeErr: (text) => (context.options.json ? undefined : terminal.printError(text.trimEnd())),
  });
  for (const addTo of groups) addTo(command, context);
  for (const each of runnableCommands(command)) each.helpGroup(headingOf(each));
  return { command, context };
}

/** Help lists commands by what they need. */
function headingOf(command: Command): string {
  const isOfCompany = command.options.some(({ long }) => long === '--key');
  return isOfCompany ? 'Commands with the API key of a company:' : 'Commands for operators:';
}
