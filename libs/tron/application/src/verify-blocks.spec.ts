import { serviceActor } from '@florin/kernel';
import { type BlocksRead, segmentOf, type VerifyBlocks } from '@florin/tron-domain';
import { RecordedChain } from './recorded-chain';
import { WatcherFixture } from './testing/watcher-fixture';
import { VerifyBlocksController } from './verify-blocks';

const startBlock = 1_000;

describe('VerifyBlocks', () => {
  let fixture: WatcherFixture;
  let controller: VerifyBlocksController;

  beforeEach(async () => {
    fixture = new WatcherFixture({ startBlock });
    const options = { blocksPerSecond: 1_000 };
    for (let number = 0; number < 250; number++) fixture.chain.mine(number % 50 === 0 ? 2 : 0);
    const watcher = fixture.watcher();
    watcher.start();
    await fixture.untilRecorded();
    const recorded = new RecordedChain(fixture.store, fixture.time, {});
    controller = new VerifyBlocksController(watcher, recorded, options);
  });
  afterEach(() => fixture.stop());

  function verify(from: number, to: number) {
    const command: VerifyBlocks = { type: 'VerifyBlocks', data: { from, to } };
    const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };
    return controller.verify({ context: 'tron', key: 'verification', id: 'v', command, headers });
  }

  it('finds no difference in blocks that were recorded as they are, at most 100 per command', async () => {
    const first = { fromBlock: startBlock, toBlock: startBlock + 99, transfers: 4, differences: [], unverified: [] };
    expect(await verify(startBlock, startBlock + 249)).toEqual({ ok: true, repeated: false, answer: first });
    const rest = {
      fromBlock: startBlock + 200,
      toBlock: startBlock + 249,
      transfers: 2,
      differences: [],
      unverified: [],
    };
    expect(await verify(startBlock + 200, startBlock + 249)).toMatchObject({ answer: rest });
  });

  it('refuses blocks that are not recorded', async () => {
    const refusalOf = (block: number) => {
      const message = `Block ${block} is not recorded. Blocks 1000 to 1249 are: verify blocks between these`;
      return { ok: false, refusal: { refused: 'blocks_not_recorded', message } };
    };
    expect(await verify(startBlock + 200, startBlock + 250)).toEqual(refusalOf(startBlock + 250));
    expect(await verify(startBlock - 1, startBlock + 5)).toEqual(refusalOf(startBlock - 1));
  });

  it.each([
    ['in the stream of its blocks', startBlock, segmentOf(startBlock)],
    ['in the stream of other blocks', 900_000, segmentOf(startBlock)],
  ])('finds forged blocks %s', async (_, fromBlock, segment) => {
    const transfer = { ...fixture.chain.transfers[0]!, transactionId: 'forged', blockNumber: fromBlock };
    const end = { toBlock: fromBlock, toBlockId: 'forged', toBlockTime: transfer.blockTime };
    const forged: BlocksRead['data'] = { fromBlock, parentId: 'forged', ...end, transfers: [transfer] };
    await fixture.appendForged(`chain-${segment}`, forged);
    const { answer } = (await verify(startBlock, startBlock + 10)) as { answer: { differences: unknown } };
    expect(answer.differences).toContainEqual(expect.objectContaining({ kind: 'extra', transactionId: 'forged' }));
  });

  it('does not report transfers to an address that is no longer watched', async () => {
    fixture.chain.addresses = ['TAnother'];
    const honest = fixture.chain.readBlock.bind(fixture.chain);
    fixture.chain.readBlock = async (number) => ({ ...(await honest(number)), transfers: [] });
    const unverified = [{ address: 'TUs', reason: 'not_watched_now', transfers: 4 }];
    expect(await verify(startBlock, startBlock + 99)).toMatchObject({ answer: { differences: [], unverified } });
  });

  it('refuses while the node is unavailable', async () => {
    fixture.chain.faults.push('unavailable', 'unavailable', 'unavailable');
    expect(await verify(startBlock, startBlock)).toMatchObject({ refusal: { refused: 'node_unavailable' } });
  });

  it('names a transfer that was recorded and is not on the chain, and one that is missing', async () => {
    const honest = fixture.chain.readBlock.bind(fixture.chain);
    fixture.chain.readBlock = async (number) => {
      const block = await honest(number);
      if (number !== startBlock + 50) return block;
      const [first, second] = block.transfers;
      return { ...block, transfers: [first!, { ...second!, logIndex: 9 }] };
    };
    const { answer } = (await verify(startBlock + 40, startBlock + 60)) as { answer: { differences: unknown } };
    expect(answer.differences).toMatchObject([
      { kind: 'missing', blockNumber: startBlock + 50, logIndex: 9 },
      { kind: 'extra', blockNumber: startBlock + 50 },
    ]);
  });
});
