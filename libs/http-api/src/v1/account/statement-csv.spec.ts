import type { StatementLine } from '@florin/read-models';
import { statementCsv } from './statement-csv';

const line: StatementLine = {
  id: 'e1',
  reference: 'op1',
  kind: 'capture',
  description: 'Card issue',
  amount: '-103.20',
  balance: '0.00',
  availableDelta: '0.00',
  heldDelta: '-103.20',
  createdAt: '2030-01-31T12:00:00.000Z',
};

const header = 'id,reference,kind,description,amount,balance,availableDelta,heldDelta,createdAt\r\n';

describe('statementCsv', () => {
  it('has a header even without entries', async () => {
    expect(await statementCsv([])).toBe(header);
  });

  it('writes amounts unchanged', async () => {
    expect(await statementCsv([line])).toBe(
      `${header}e1,op1,capture,Card issue,-103.20,0.00,0.00,-103.20,2030-01-31T12:00:00.000Z\r\n`,
    );
  });

  it.each([
    ['commas, quotes and line ends', 'a,"b"\r\nc', '"a,""b""\r\nc"'],
    ['a formula', '=HYPERLINK(1)', "'=HYPERLINK(1)"],
    ['a formula with a comma', '@SUM(1,2)', '"\'@SUM(1,2)"'],
  ])('escapes %s', async (_, description, written) => {
    expect(await statementCsv([{ ...line, description }])).toContain(`,capture,${written},-103.20,`);
  });
});
