import type { CommandMessage } from '@florin/event-sourcing';
import { actorKinds } from '@florin/kernel';
import type { KafkaMessage } from 'kafkajs';
import { decodeCommand, describeFailure, encodeCommand, MalformedCommand } from './wire';

const headers = { correlationId: 'c', causationId: 'r' };

function encoded(actor: unknown): KafkaMessage {
  const command = { type: 'DepositFunds', data: {} };
  const message = { context: 'ledger', key: 'k', id: 'i', command, headers: { ...headers, actor } };
  return encodeCommand(message as CommandMessage) as unknown as KafkaMessage;
}

describe('decodeCommand', () => {
  it.each(actorKinds)('accepts an actor of the kind %s', (kind) => {
    expect(decodeCommand(encoded({ kind, id: 'a' }), 'ledger').headers.actor).toEqual({ kind, id: 'a' });
  });

  it.each([
    ['no actor', undefined],
    ['an actor that is null', null],
    ['an unknown kind', { kind: 'root', id: 'a' }],
    ['the name of a property as kind', { kind: 'length', id: 'a' }],
    ['a kind that is not a string', { kind: ['operator'], id: 'a' }],
    ['no id', { kind: 'operator' }],
    ['an id that is not a string', { kind: 'operator', id: 1 }],
  ])('rejects %s', (_, actor) => {
    expect(() => decodeCommand(encoded(actor), 'ledger')).toThrow(MalformedCommand);
  });
});

describe('describeFailure', () => {
  it('names an event that a handler, or the handler of its command, cannot read', () => {
    const unreadable = Object.assign(new Error('Event X version 2 is unknown'), { name: 'UnreadableEvent' });
    const expected = { name: 'UnreadableEvent', message: 'Event X version 2 is unknown' };
    expect(describeFailure(unreadable)).toEqual(expected);
    expect(describeFailure(new Error('The command failed', { cause: unreadable }))).toEqual(expected);
    expect(describeFailure(new Error('Other'))).toEqual({ name: 'Error', message: 'Other' });
  });
});
