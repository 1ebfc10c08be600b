import { edgesOf } from './bus-keys';
import { type Context, receivingServices } from './command-permissions';

export type KafkaOperation = 'Create' | 'Delete' | 'Describe' | 'Read' | 'Write';

/** A right of a service's Kafka principal, to one name or to all names with a prefix. */
export interface KafkaAcl {
  readonly resource: 'topic' | 'group';
  readonly name: string;
  readonly isPrefix: boolean;
  readonly operations: readonly KafkaOperation[];
}

/** The rights that a service needs on Kafka: its own replies, the contexts that it sends to, and those that it handles. */
export function kafkaAclsOf(service: string, topicPrefix = ''): readonly KafkaAcl[] {
  const edges = edgesOf(service);
  const sendsTo = unique(edges.filter(({ sender }) => sender === service).map(({ context }) => context));
  const received = edges.filter(({ context }) => receivingServices[context as Context] === service);
  const handles = unique(received.map(({ context }) => context));
  const repliesTo = unique(received.map(({ sender }) => sender));
  const topic = (name: string, ...operations: KafkaOperation[]): KafkaAcl => {
    return { resource: 'topic', name: `${topicPrefix}${name}`, isPrefix: false, operations };
  };
  const group = (name: string): KafkaAcl => {
    return { resource: 'group', name: `${topicPrefix}${name}`, isPrefix: false, operations: ['Describe', 'Read'] };
  };
  const replies = `replies.${service}-`;
  return [
    ...sendsTo.flatMap((context) => [
      topic(`${context}.commands`, 'Create', 'Describe', 'Write'),
      topic(`${context}.dead-letters`, 'Create', 'Describe'),
    ]),
    ...handles.flatMap((context) => [
      topic(`${context}.commands`, 'Create', 'Describe', 'Read'),
      topic(`${context}.dead-letters`, 'Create', 'Describe', 'Write'),
      group(context),
    ]),
    ...repliesTo.map((sender) => prefixed(topic(`replies.${sender}-`, 'Describe', 'Write'))),
    ...(edges.length === 0
      ? []
      : [prefixed(topic(replies, 'Create', 'Delete', 'Describe', 'Read')), prefixed(group(replies))]),
  ];
}

function prefixed(acl: KafkaAcl): KafkaAcl {
  return { ...acl, isPrefix: true };
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}
