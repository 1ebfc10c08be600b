import { busServices } from './bus-keys';
import { kafkaAclsOf, type KafkaAcl } from './kafka-acls';

const matches = ({ name, isPrefix }: KafkaAcl, topic: string): boolean =>
  isPrefix ? topic.startsWith(name) : topic === name;

function servicesThatCan(operation: string, topic: string): readonly string[] {
  return busServices.filter((service) =>
    kafkaAclsOf(service).some(
      (acl) => acl.resource === 'topic' && matches(acl, topic) && acl.operations.some((one) => one === operation),
    ),
  );
}

describe('Kafka permissions', () => {
  it('let only the handling service read commands, and only senders write them', () => {
    expect(servicesThatCan('Read', 'ledger.commands')).toEqual(['ledger']);
    expect(servicesThatCan('Write', 'ledger.commands')).toEqual(['gateway', 'operations', 'invoicing']);
    expect(servicesThatCan('Write', 'ledger.dead-letters')).toEqual(['ledger']);
  });

  it('let a service read its own replies, and those that it sends commands to write them', () => {
    expect(servicesThatCan('Read', 'replies.operations-1-a')).toEqual(['operations']);
    expect(servicesThatCan('Write', 'replies.operations-1-a')).toEqual(['ledger', 'operations']);
    expect(servicesThatCan('Delete', 'replies.gateway-1-a')).toEqual(['gateway']);
  });

  it('put the prefix of the installation before every name', () => {
    expect(kafkaAclsOf('gateway', 'test.').every(({ name }) => name.startsWith('test.'))).toBe(true);
  });

  it('are empty for services that use no bus', () => {
    expect(kafkaAclsOf('projector')).toEqual([]);
  });
});
