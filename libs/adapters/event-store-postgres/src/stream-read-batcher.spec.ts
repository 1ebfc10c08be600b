import { type StreamPage, StreamReadBatcher, type PageRequest } from './stream-read-batcher';

const nothing: StreamPage = { events: [], isLast: true };

/** Reads that the test completes. */
function controlledReads(maxConcurrentReads: number) {
  const asked: {
    wanted: readonly PageRequest[];
    answer: (pages: StreamPage[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const reads = new StreamReadBatcher(
    (wanted) => new Promise((answer, fail) => asked.push({ wanted, answer, fail })),
    maxConcurrentReads,
  );
  return { asked, reads };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('StreamReadBatcher', () => {
  it('serves all requests of one turn with one read, each with its own page', async () => {
    const { asked, reads } = controlledReads(1);
    const pages = Promise.all([reads.page('a-1', 0), reads.page('a-2', 7)]);
    await endOfTurn();
    expect(asked.map(({ wanted }) => wanted.map(({ stream, fromRevision }) => [stream, fromRevision]))).toEqual([
      [
        ['a-1', 0],
        ['a-2', 7],
      ],
    ]);
    const second = { events: [], isLast: false };
    asked[0]!.answer([nothing, second]);
    expect(await pages).toEqual([nothing, second]);
  });

  it('combines requests that arrive while all reads are busy into the next read', async () => {
    const { asked, reads } = controlledReads(1);
    const first = reads.page('a-1', 0);
    await endOfTurn();
    const second = reads.page('a-2', 0);
    await endOfTurn();
    const third = reads.page('a-3', 0);
    await endOfTurn();
    expect(asked).toHaveLength(1);
    asked[0]!.answer([nothing]);
    await first;
    await endOfTurn();
    expect(asked[1]!.wanted.map(({ stream }) => stream)).toEqual(['a-2', 'a-3']);
    asked[1]!.answer([nothing, nothing]);
    await Promise.all([second, third]);
  });

  it('rejects all requests of a failed read and continues', async () => {
    const { asked, reads } = controlledReads(1);
    const first = reads.page('a-1', 0);
    const second = reads.page('a-2', 0);
    await endOfTurn();
    asked[0]!.fail(new Error('connection lost'));
    await expect(first).rejects.toThrow('connection lost');
    await expect(second).rejects.toThrow('connection lost');
    const third = reads.page('a-3', 0);
    await endOfTurn();
    asked[1]!.answer([nothing]);
    expect(await third).toEqual(nothing);
  });
});
