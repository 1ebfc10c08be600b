import type { Command } from 'commander';
import type { CliContext } from '../cli-context';
import type { KafkaAclOptions } from '../kafka-acls';

export function addKafkaAclsCommand(program: Command, context: CliContext): void {
  program
    .command('kafka-acls')
    .description('Show or grant the permissions of each service on Kafka.')
    .option('--prefix <prefix>', 'KAFKA_TOPIC_PREFIX of the installation', '')
    .option('--apply', 'grant them to the principals User:<service>')
    .addHelpText(
      'after',
      `
--apply connects as an administrator with KAFKA_BROKERS, KAFKA_SSL, KAFKA_CA_FILE, KAFKA_SASL_MECHANISM,
KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD. It can be repeated, and removes no permissions.`,
    )
    .action(async (options: KafkaAclOptions) => {
      const { kafkaAcls } = await import('../kafka-acls');
      await kafkaAcls(context, options);
    });
}
