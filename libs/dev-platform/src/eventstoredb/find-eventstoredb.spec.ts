import { findEventStoreDb } from './find-eventstoredb';

describe('findEventStoreDb', () => {
  it('returns the command of EVENTSTOREDB_RUN', () => {
    expect(findEventStoreDb({ EVENTSTOREDB_RUN: process.execPath })).toBe(process.execPath);
  });

  it('rejects a command that does not exist', () => {
    expect(() => findEventStoreDb({ EVENTSTOREDB_RUN: '/no/such/command' })).toThrow(
      'EVENTSTOREDB_RUN names /no/such/command, which does not exist',
    );
  });
});
