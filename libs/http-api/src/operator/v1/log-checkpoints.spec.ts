import { LOG_CHECKPOINTS, LogSigningKey, parseCheckpoint, toCheckpointJson } from '@florin/event-sourcing';
import { InMemoryLogCheckpoints, sealedLog, signLog } from '@florin/event-sourcing/testing';
import { OperationsApp } from '../../testing/operations-app';
import { LogApiModule } from './log-checkpoints.controller';

const key = LogSigningKey.generate();
const events = sealedLog(['1', '2', '3'].map((id) => ({ stream: 'note-1', id, type: 'Noted', data: '{}' })));
const stored = new InMemoryLogCheckpoints();
stored.all = [...signLog(events, [1, 2, 3], key)];
const api = new OperationsApp([LogApiModule], new Map([[LOG_CHECKPOINTS, stored]]));

beforeAll(() => api.start());
afterAll(() => api.close());

const get = (query: string) => api.asOperator({ url: `/operator/v1/log/checkpoints${query}` });

describe('Log checkpoints', () => {
  it('are listed in pages, newest first, as they were signed', async () => {
    const first = await get('?limit=2');
    const [one, two, three] = stored.all.map((checkpoint) => toCheckpointJson(checkpoint));
    expect([first.status, first.body['data']]).toEqual([200, [three, two]]);
    const second = await get(`?limit=2&cursor=${String(first.body['nextCursor'])}`);
    expect(second.body).toEqual({ data: [one] });
    expect(key.publicKey.verifies(parseCheckpoint(one)!)).toBe(true);
  });

  it('are for operators only', async () => {
    expect((await api.as({}, { url: '/operator/v1/log/checkpoints' })).status).toBe(401);
  });
});
