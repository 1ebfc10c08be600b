import type { Command } from 'commander';
import type { CliContext } from '../cli-context';

interface Options {
  readonly prefix: string;
}

export function addKafkaAclsCommands(program: Command, context: CliContext): void {
  const kafkaAcls = program.command('kafka-acls').description('The permissions of each service on Kafka.');
  const prefix = ['--prefix <prefix>', 'KAFKA_TOPIC_PREFIX of the installation', ''] as const;
  kafkaAcls
    .command('list')
    .description('List the permissions of each service on Kafka.')
    .option(...prefix)
    .action(async (options: Options) => {
      const { listKafkaAcls } = await import('../kafka-acls');
      listKafkaAcls(context, options.prefix);
    });
  kafkaAcls
    .command('grant')
    .description('Grant them to the principals User:<service>.')
    .option(...prefix)
    .addHelpText(
      'after',
      `
Connects as an administrator with KAFKA_BROKERS, KAFKA_SSL, KAFKA_CA_FILE, KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and
KAFKA_SASL_PASSWORD. It can be repeated, and removes no permissions.`,
    )
    .action(async (options: Options) => {
      const { grantKafkaAcls } = await import('../kafka-acls');
      await grantKafkaAcls(context, options.prefix);
    });
}
