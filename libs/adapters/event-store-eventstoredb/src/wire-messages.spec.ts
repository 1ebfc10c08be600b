import { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { eventIn } from './wire-messages';

const largest = '18446744073709551615';

function answer(commit: string, prepare: string): ReadResp {
  const event = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString('0b8f2f6e-6f6c-4f0c-9a53-1f9a3c1f6a01'))
    .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from('account-é')))
    .setStreamRevision('7')
    .setCommitPosition(commit)
    .setPreparePosition(prepare);
  event.getMetadataMap().set('type', 'Happened');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(event));
}

describe('The position of an event in a server response', () => {
  it('is the commit position when it equals the prepare position, beyond the range of a number', () => {
    const event = eventIn(answer('9223372036854775807', '9223372036854775807'));
    expect(event).toMatchObject({ stream: 'account-é', revision: 7, position: 9223372036854775807n });
  });

  it('is rejected when several events share a commit position', () => {
    expect(() => eventIn(answer('900', '700'))).toThrow('was written in a transaction (commit 900, prepare 700)');
  });

  it('is rejected when an old server does not report the position', () => {
    expect(() => eventIn(answer(largest, largest))).toThrow('EventStoreDB 22.6 or newer');
  });

  it('is undefined when the response contains no event', () => {
    expect(eventIn(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()))).toBeUndefined();
  });
});
