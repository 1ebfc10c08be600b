import { busServices, kafkaAclsOf } from '@florin/bus-trust';
import { grantPermissions } from '@florin/dev-platform';
import { readFileSync } from 'node:fs';
import type { CliContext } from './cli-context';
import { UsageError } from './cli-errors';
import { table } from './table';

export function listKafkaAcls(context: CliContext, prefix: string): void {
  print(context, prefix, false);
}

export async function grantKafkaAcls(context: CliContext, prefix: string): Promise<void> {
  await grantPermissions(administratorIn(context.environment), busServices, prefix);
  print(context, prefix, true);
}

function print(context: CliContext, prefix: string, granted: boolean): void {
  const acls = busServices.flatMap((service) => kafkaAclsOf(service, prefix).map((acl) => ({ service, ...acl })));
  const text = table(acls, {
    PRINCIPAL: ({ service }) => `User:${service}`,
    RESOURCE: ({ resource }) => resource,
    NAME: ({ name, isPrefix }) => (isPrefix ? `${name}*` : name),
    OPERATIONS: ({ operations }) => operations.join(', '),
  });
  context.output({ data: acls, granted }, granted ? `${text}\n\nAll of these are granted.` : text);
}

function administratorIn(env: CliContext['environment']): Parameters<typeof grantPermissions>[0] {
  const { KAFKA_BROKERS: brokers, KAFKA_SSL: ssl, KAFKA_CA_FILE: caFile, KAFKA_SASL_MECHANISM: mechanism } = env;
  const { KAFKA_SASL_USERNAME: username = '', KAFKA_SASL_PASSWORD: password = '' } = env;
  if (!brokers) throw new UsageError('KAFKA_BROKERS is not set. Set it to addresses such as kafka-1:9092.');
  if (mechanism && !isMechanism(mechanism)) {
    throw new UsageError('KAFKA_SASL_MECHANISM must be plain, scram-sha-256 or scram-sha-512.');
  }
  return {
    brokers: brokers.split(',').map((broker) => broker.trim()),
    ...(ssl === 'true' && { ssl: caFile ? { ca: readFileSync(caFile, 'utf8') } : {} }),
    ...(mechanism && { sasl: { mechanism, username, password } as Parameters<typeof grantPermissions>[0]['sasl'] }),
  };
}

function isMechanism(text: string): boolean {
  return ['plain', 'scram-sha-256', 'scram-sha-512'].includes(text);
}
