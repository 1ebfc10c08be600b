import { specFor } from '@florin/event-sourcing/testing';
import { chainAggregate } from './chain.aggregate';
import { type BlocksRead, type RecordBlocks, type StartChain } from './chain.messages';

const { given } = specFor(chainAggregate);

const contract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const startBlock = 250_010;
const start = (data: Partial<StartChain['data']> = {}): StartChain => ({
  type: 'StartChain',
  data: { startBlock, contract, ...data },
});

const idOf = (block: number): string => `id of ${block}`;
const timeOf = (block: number): string =>
  new Date(Date.parse('2030-01-01T00:00:00.000Z') + block * 3_000).toISOString();
const transferIn = (blockNumber: number, transactionId = `transaction in ${blockNumber}`) => ({
  transactionId,
  logIndex: 0,
  from: 'TSender',
  to: 'TReceiver',
  amount: '100.003127',
  blockNumber,
  blockTime: timeOf(blockNumber),
});

function read(fromBlock: number, toBlock: number, other: Partial<BlocksRead['data']> = {}): BlocksRead {
  const parentId = idOf(fromBlock - 1);
  const end = { toBlock, toBlockId: idOf(toBlock), toBlockTime: timeOf(toBlock) };
  return { type: 'BlocksRead', data: { fromBlock, parentId, ...end, transfers: [], ...other } };
}

function record({ data }: BlocksRead): RecordBlocks {
  return { type: 'RecordBlocks', data: { ...data, startBlock } };
}

describe('a chain is begun', () => {
  it('once', () => {
    given().when(start()).then({ type: 'ChainStarted', data: { startBlock, contract } });
  });

  it('and stays where it was begun, whatever is configured later', () => {
    given({ type: 'ChainStarted', data: { startBlock, contract } })
      .when(start({ startBlock: 300_000 }))
      .then();
  });

  it('for one contract for ever', () => {
    const started = { type: 'ChainStarted', data: { startBlock, contract } } as const;
    given(started)
      .when(start({ contract: 'TAnother' }))
      .thenRefused('another_contract');
  });

  it.each([0, -1, 1.5, Number.NaN])('at a block that can be read, not at %p', (impossible) => {
    given()
      .when(start({ startBlock: impossible }))
      .thenThrows(/cannot be begun/);
  });
});

describe('blocks are recorded', () => {
  it('from the start block on', () => {
    const first = read(startBlock, startBlock + 4, { transfers: [transferIn(startBlock), transferIn(startBlock + 4)] });
    given().when(record(first)).then(first);
  });

  it('from the first block of a later segment on', () => {
    given()
      .when(record(read(300_000, 300_099)))
      .then(read(300_000, 300_099));
  });

  it('after the last one', () => {
    given(read(startBlock, 250_020))
      .when(record(read(250_021, 250_021)))
      .then(read(250_021, 250_021));
  });

  it('up to the very end of a segment', () => {
    given(read(startBlock, 299_990))
      .when(record(read(299_991, 299_999)))
      .then(read(299_991, 299_999));
  });

  it('once, however they were cut when they were recorded before', () => {
    given(read(startBlock, 250_020), read(250_021, 250_030))
      .when(record(read(250_025, 250_030)))
      .then();
  });

  const past = [read(startBlock, 250_020), read(250_021, 250_030)];

  it.each<[string, BlocksRead]>([
    ['that leave a gap', read(250_032, 250_040)],
    ['that overlap with others', read(250_030, 250_031)],
    ['that others have recorded long ago', read(startBlock, 250_020)],
  ])('not %s', (_, blockRange) => {
    given(...past)
      .when(record(blockRange))
      .thenRefused('not_next');
  });

  it.each([startBlock - 1, startBlock + 1, 250_000])(
    'not from block %i on when the chain was begun elsewhere',
    (from) => {
      given()
        .when(record(read(from, 250_020)))
        .thenRefused('not_next');
    },
  );

  it('not from the middle of a later segment on', () => {
    given()
      .when(record(read(300_001, 300_002)))
      .thenRefused('not_next');
  });

  it('not on top of another chain', () => {
    const fork = read(250_031, 250_040, { parentId: 'another id' });
    given(...past)
      .when(record(fork))
      .thenRefused('another_chain');
  });

  it('not a second time with another content', () => {
    const fork = read(250_021, 250_030, { toBlockId: 'another id' });
    given(...past)
      .when(record(fork))
      .thenRefused('another_chain');
  });

  it('as next ones before it is asked which chain they are of', () => {
    const elsewhere = read(250_033, 250_040, { parentId: 'another id' });
    given(...past)
      .when(record(elsewhere))
      .thenRefused('not_next');
  });

  it.each<[RegExp, BlocksRead]>([
    [/no blockRange/, read(250_032, 250_031)],
    [/end of a segment/, read(250_031, 300_000)],
    [/runs backwards/, read(250_031, 250_032, { toBlockTime: timeOf(250_029) })],
    [/out of place/, read(250_031, 250_032, { transfers: [transferIn(250_033)] })],
    [/out of place/, read(250_031, 250_032, { transfers: [transferIn(250_030)] })],
    [/out of place/, read(250_031, 250_032, { transfers: [transferIn(250_032), transferIn(250_031)] })],
    [/out of place/, read(250_031, 250_032, { transfers: [{ ...transferIn(250_031), blockTime: timeOf(250_033) }] })],
  ])('never when they are unsound (%p)', (message, blockRange) => {
    given(...past)
      .when(record(blockRange))
      .thenThrows(message);
  });
});
