import { Command, Option } from 'commander';
import { wholeNumber } from '../whole-number';

export interface KafkaOptions {
  readonly port: number;
  readonly data: string;
  readonly insecure?: boolean;
  readonly topicPrefix?: string;
}

export function createCommand(): Command {
  return new Command('npm run kafka --')
    .description('Starts an Apache Kafka broker for development on 127.0.0.1: one node, no ZooKeeper, no Docker.')
    .helpOption('--help', 'show this help')
    .option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 9092)
    .option('--data <folder>', 'folder for topics, messages, certificate and passwords', '.florin/kafka')
    .addOption(
      new Option('--topic-prefix <text>', 'prefix of the topics that services may use').env('KAFKA_TOPIC_PREFIX'),
    )
    .option('--insecure', 'without TLS, passwords and permissions')
    .addHelpText('after', '\nIt needs Java 17 or newer and, the first time, Maven, which downloads the broker.');
}
