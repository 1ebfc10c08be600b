import { Florin, WaitTimeoutError } from './index';
import { TestServer } from './testing/test-server';

let server: TestServer;
let florin: Florin;

beforeAll(async () => {
  server = await TestServer.start();
  florin = new Florin({ apiKey: 'fl_test_x', baseUrl: server.url, retryDelayMs: 1 });
});
afterAll(() => server.close());

const page = (ids: readonly string[], nextCursor?: string) => ({
  body: { data: ids.map((id) => ({ id })), nextCursor },
});
const threePages = [page(['a', 'b'], 'c1'), page(['c', 'd'], 'c2'), page(['e'])];
const queries = () => server.requests.map(({ url }) => url.split('?')[1]);

describe('A list', () => {
  it('is the first page when it is awaited', async () => {
    server.follow(...threePages);
    expect(await florin.cards.list({ status: 'active' })).toEqual({
      data: [{ id: 'a' }, { id: 'b' }],
      nextCursor: 'c1',
    });
    expect(queries()).toEqual(['limit=100&status=active']);
  });

  it('has all entries of all pages, with the same filters', async () => {
    server.follow(...threePages);
    const ids: string[] = [];
    for await (const { id } of florin.cards.list({ status: 'active', limit: 2 })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(queries()).toEqual([
      'limit=2&status=active',
      'limit=2&status=active&cursor=c1',
      'limit=2&status=active&cursor=c2',
    ]);
  });

  it('reads only the pages that are needed', async () => {
    server.follow(...threePages);
    for await (const { id } of florin.operations.list()) if (id === 'c') break;
    expect(server.requests).toHaveLength(2);
  });

  it('can be read page by page, from a cursor on', async () => {
    server.follow(...threePages.slice(1));
    const sizes: number[] = [];
    for await (const { data } of florin.operations.list({ cursor: 'c1' }).pages()) sizes.push(data.length);
    expect(sizes).toEqual([2, 1]);
    expect(queries()).toEqual(['limit=100&cursor=c1', 'limit=100&cursor=c2']);
  });

  it('repeats a page that is temporarily unavailable', async () => {
    server.follow(threePages[0]!, { status: 503 }, page(['c']));
    const ids: string[] = [];
    for await (const { id } of florin.events.list()) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
  });
});

describe('waitFor', () => {
  const operation = (status: string) => ({ body: { id: 'o1', status } });

  it.each(['completed', 'failed', 'manual_review'])('returns an operation that is %s', async (status) => {
    server.follow(operation('queued'), operation('processing'), operation(status));
    expect(await florin.operations.waitFor('o1')).toEqual({ id: 'o1', status });
    expect(server.requests).toHaveLength(3);
  });

  it('fails with the last state after its time', async () => {
    server.follow(operation('processing'));
    const error: unknown = await florin.operations.waitFor('o1', { timeoutMs: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      message: 'Operation o1 is still processing after 1 ms.',
      last: { id: 'o1', status: 'processing' },
    });
  });

  it('ends with its signal', async () => {
    server.follow(operation('processing'));
    const controller = new AbortController();
    const waiting = florin.operations.waitFor('o1', { signal: controller.signal });
    controller.abort(new Error('Enough'));
    await expect(waiting).rejects.toThrow('Enough');
  });
});
