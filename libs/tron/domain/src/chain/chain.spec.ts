import { specFor } from '@florin/event-sourcing/testing';
import { chainAggregate } from './chain.decider';
import { type AddressesWatched, type BlocksRead, type RecordBlocks, type StartChain } from './chain.messages';

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

const addresses = ['TReceiver'];

function record({ data }: BlocksRead, watched = addresses): RecordBlocks {
  return { type: 'RecordBlocks', data: { ...data, startBlock, addresses: watched } };
}

function watching(fromBlock: number, watched = addresses): AddressesWatched {
  return { type: 'AddressesWatched', data: { fromBlock, addresses: watched } };
}

describe('StartChain', () => {
  it('records the start block once', () => {
    given().when(start()).then({ type: 'ChainStarted', data: { startBlock, contract } });
  });

  it('keeps the recorded start block when another one is configured', () => {
    given({ type: 'ChainStarted', data: { startBlock, contract } })
      .when(start({ startBlock: 300_000 }))
      .then();
  });

  it('rejects another contract', () => {
    const started = { type: 'ChainStarted', data: { startBlock, contract } } as const;
    given(started)
      .when(start({ contract: 'TAnother' }))
      .thenRefused('another_contract');
  });

  it.each([0, -1, 1.5, Number.NaN])('fails for the invalid block %p', (impossible) => {
    given()
      .when(start({ startBlock: impossible }))
      .thenThrows(/cannot start/);
  });
});

describe('RecordBlocks', () => {
  it('accepts blocks from the start block on', () => {
    const first = read(startBlock, startBlock + 4, { transfers: [transferIn(startBlock), transferIn(startBlock + 4)] });
    given().when(record(first)).then(watching(startBlock), first);
  });

  it('accepts the first block of a later segment', () => {
    given()
      .when(record(read(300_000, 300_099)))
      .then(watching(300_000), read(300_000, 300_099));
  });

  it('accepts the block after the last recorded one', () => {
    given(watching(startBlock), read(startBlock, 250_020))
      .when(record(read(250_021, 250_021)))
      .then(read(250_021, 250_021));
  });

  it('accepts blocks up to the end of a segment', () => {
    given(watching(startBlock), read(startBlock, 299_990))
      .when(record(read(299_991, 299_999)))
      .then(read(299_991, 299_999));
  });

  it('records the watched addresses when they change, or when an earlier release has not recorded them', () => {
    const next = read(250_021, 250_021);
    given(watching(startBlock), read(startBlock, 250_020))
      .when(record(next, ['TAnother', 'TReceiver']))
      .then(watching(250_021, ['TAnother', 'TReceiver']), next);
    given(read(startBlock, 250_020)).when(record(next)).then(watching(250_021), next);
  });

  it('records nothing for blocks recorded before in other ranges', () => {
    given(read(startBlock, 250_020), read(250_021, 250_030))
      .when(record(read(250_025, 250_030)))
      .then();
  });

  const past = [read(startBlock, 250_020), read(250_021, 250_030)];

  it.each<[string, BlocksRead]>([
    ['that leave a gap', read(250_032, 250_040)],
    ['that overlap recorded blocks', read(250_030, 250_031)],
    ['that are recorded already', read(startBlock, 250_020)],
  ])('rejects ranges %s', (_, blockRange) => {
    given(...past)
      .when(record(blockRange))
      .thenRefused('not_next');
  });

  it.each([startBlock - 1, startBlock + 1, 250_000])('rejects a first range from block %i', (from) => {
    given()
      .when(record(read(from, 250_020)))
      .thenRefused('not_next');
  });

  it('rejects a range from the middle of a later segment', () => {
    given()
      .when(record(read(300_001, 300_002)))
      .thenRefused('not_next');
  });

  it('rejects a range with another parent', () => {
    const fork = read(250_031, 250_040, { parentId: 'another id' });
    given(...past)
      .when(record(fork))
      .thenRefused('another_chain');
  });

  it('rejects recorded blocks with other ids', () => {
    const fork = read(250_021, 250_030, { toBlockId: 'another id' });
    given(...past)
      .when(record(fork))
      .thenRefused('another_chain');
  });

  it('checks the position before the parent', () => {
    const elsewhere = read(250_033, 250_040, { parentId: 'another id' });
    given(...past)
      .when(record(elsewhere))
      .thenRefused('not_next');
  });

  it.each<[RegExp, BlocksRead]>([
    [/not a block range/, read(250_032, 250_031)],
    [/segment boundary/, read(250_031, 300_000)],
    [/is older than/, read(250_031, 250_032, { toBlockTime: timeOf(250_029) })],
    [/out of order/, read(250_031, 250_032, { transfers: [transferIn(250_033)] })],
    [/out of order/, read(250_031, 250_032, { transfers: [transferIn(250_030)] })],
    [/out of order/, read(250_031, 250_032, { transfers: [transferIn(250_032), transferIn(250_031)] })],
    [/out of order/, read(250_031, 250_032, { transfers: [{ ...transferIn(250_031), blockTime: timeOf(250_033) }] })],
  ])('fails for an inconsistent range (%p)', (message, blockRange) => {
    given(...past)
      .when(record(blockRange))
      .thenThrows(message);
  });
});
