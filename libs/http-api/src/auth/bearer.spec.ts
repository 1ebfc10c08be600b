import { bearerToken } from './bearer';

describe('bearerToken', () => {
  it.each([
    ['Bearer fl_test_1', 'fl_test_1'],
    ['bearer fl_test_1', 'fl_test_1'],
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer  fl_test_1', undefined],
    ['Bearer fl_test_1 ', undefined],
    ['Bearer fl_test_1, Bearer fl_test_2', undefined],
    ['Bearer fl_tést', undefined],
    ['Basic fl_test_1', undefined],
    ['fl_test_1', undefined],
    [`Bearer ${'x'.repeat(513)}`, undefined],
  ])('of %j is %j', (header, token) => expect(bearerToken(header)).toBe(token));
});
