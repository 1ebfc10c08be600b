import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import type { BusKeyStep } from '../write-bus-keys';

const steps: readonly BusKeyStep[] = ['add', 'switch', 'finish'];

export function addBusKeysCommands(program: Command, context: CliContext): void {
  const busKeys = program.command('bus-keys').description('The keys that sign commands between services.');
  const write = async (file: string, step?: BusKeyStep): Promise<void> => {
    const { writeBusKeys } = await import('../write-bus-keys');
    writeBusKeys(context, file, step);
  };
  busKeys
    .command('create')
    .description('Generate the keys that sign commands between services (BUS_KEYS), or add missing ones.')
    .argument('<file>', 'the file with one line per service; created if it does not exist, else missing keys are added')
    .addHelpText(
      'after',
      `
The file has lines such as BUS_KEYS_GATEWAY=…; give each service its own value as BUS_KEYS, and no other.
BUS_KEYS_FLORIN is for an all-in-one process with COMMAND_BUS=kafka.`,
    )
    .action((file: string) => write(file));
  busKeys
    .command('rotate')
    .description('Replace the keys that sign commands between services, in three steps.')
    .argument('<file>', 'the file that `bus-keys create` wrote')
    .addOption(new Option('--step <step>', 'the next step').choices(steps).makeOptionMandatory())
    .addHelpText(
      'after',
      `
For no downtime, restart all services with the new file after each step:
  --step add      adds a new key that is only accepted
  --step switch   signs with the new key, and still accepts the old one
  --step finish   removes the old key`,
    )
    .action((file: string, { step }: { readonly step: BusKeyStep }) => write(file, step));
}
