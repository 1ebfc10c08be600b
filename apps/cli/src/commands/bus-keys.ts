import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context';
import type { BusKeyStep } from '../write-bus-keys';

const steps: readonly BusKeyStep[] = ['add', 'switch', 'finish'];

export function addBusKeysCommand(program: Command, context: CliContext): void {
  program
    .command('bus-keys')
    .description('Generate or replace the keys that sign commands between services (BUS_KEYS).')
    .argument('<file>', 'the file with one line per service; created if it does not exist, else missing keys are added')
    .addOption(new Option('--step <step>', 'replace the keys of an existing file, in three steps').choices(steps))
    .addHelpText(
      'after',
      `
The file has lines such as BUS_KEYS_GATEWAY=…; give each service its own value as BUS_KEYS, and no other.
BUS_KEYS_FLORIN is for an all-in-one process with COMMAND_BUS=kafka.
To replace keys without downtime, restart all services with the new file after each step:
  --step add      adds a new key that is only accepted
  --step switch   signs with the new key, and still accepts the old one
  --step finish   removes the old key`,
    )
    .action(async (file: string, { step }: { readonly step?: BusKeyStep }) => {
      const { writeBusKeys } = await import('../write-bus-keys');
      writeBusKeys(context, file, step);
    });
}
