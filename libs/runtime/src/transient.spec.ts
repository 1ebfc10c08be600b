import { isTransientDatabaseError } from '@florin/database';
import { MailboxFull, NoReply, RevisionConflict } from '@florin/event-sourcing';
import { retryable } from './transient';

const refusedConnection = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const bug = new TypeError('x is not a function');

const isWorthRepeating = retryable(isTransientDatabaseError);

describe('retryable', () => {
  it.each([
    ['no reply in time', new NoReply('late')],
    ['no reply because the other side met an outage', new NoReply('failed', { cause: refusedConnection })],
    ['no reply because the other side got none either', new NoReply('failed', { cause: new NoReply('late') })],
    ['an outage', refusedConnection],
    ['a full mailbox', new MailboxFull('account-1')],
    ['a stream that others were always faster at', new RevisionConflict('account-1', 3)],
  ])('says yes to %s', (_what, error) => expect(isWorthRepeating(error)).toBe(true));

  it.each([
    ['a bug', bug],
    ['a bug on the other side', new NoReply('failed', { cause: bug })],
    ['what is no error at all', undefined],
  ])('says no to %s', (_what, error) => expect(isWorthRepeating(error)).toBe(false));
});
