import { kafkaAclsOf, type KafkaOperation } from '@florin/bus-trust';
import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
  type SASLOptions,
} from 'kafkajs';

const operationTypes: Readonly<Record<KafkaOperation, AclOperationTypes>> = {
  Create: AclOperationTypes.CREATE,
  Delete: AclOperationTypes.DELETE,
  Describe: AclOperationTypes.DESCRIBE,
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
};

export interface KafkaAdministrator {
  readonly brokers: readonly string[];
  /** Absent: without TLS. */
  readonly ssl?: { readonly ca?: string };
  readonly sasl?: SASLOptions;
}

/** Gives each service the rights that it needs. Rights that an administrator has added stay. */
export async function grantPermissions(
  { brokers, ssl, sasl }: KafkaAdministrator,
  services: readonly string[],
  topicPrefix: string,
): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], ssl: ssl ?? false, sasl, logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    await admin.createAcls({ acl: services.flatMap((service) => entriesOf(service, topicPrefix)) });
  } finally {
    await admin.disconnect();
  }
}

function entriesOf(service: string, topicPrefix: string): AclEntry[] {
  return kafkaAclsOf(service, topicPrefix).flatMap(({ resource, name, isPrefix, operations }) =>
    operations.map((operation) => ({
      resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
      resourceName: name,
      resourcePatternType: isPrefix ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
      principal: `User:${service}`,
      host: '*',
      operation: operationTypes[operation],
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}
