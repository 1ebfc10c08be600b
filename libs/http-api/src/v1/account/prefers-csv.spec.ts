import { prefersCsv } from './prefers-csv';

describe('prefersCsv', () => {
  it.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['text/csv', true],
    ['Text/CSV; charset=utf-8', true],
    ['text/csv, */*;q=0.1', true],
    ['application/json, text/csv', false],
    ['application/json;q=0.5, text/csv', true],
    ['text/csv;q=0', false],
    ['text/csv;q=0.5, */*;q=0.8', false],
    ['text/*', true],
    ['text/*;q=0.9, application/*', false],
    ['text/html, application/xml;q=0.9, */*;q=0.8', false],
  ])('reads %s as %s', (accept, expected) => {
    expect(prefersCsv(accept)).toBe(expected);
  });
});
