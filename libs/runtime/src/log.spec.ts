import { createLog } from './log';

function lines(level = 'info') {
  const written: Record<string, unknown>[] = [];
  const write = (text: string): void => void written.push(JSON.parse(text) as Record<string, unknown>);
  return { log: createLog(level, { write }), written };
}

describe('createLog', () => {
  it('shows no secret, however deep it stands', () => {
    const { log, written } = lines();
    const secrets = {
      authorization: 'Bearer fl_live_x',
      key: 'fl_live_x',
      nested: { token: 'x', deeper: { password: 'x' }, list: [{ secret: 'x' }] },
    };
    log.info({ ...secrets, req: { headers: { authorization: 'Bearer fl_live_x' } } }, 'hello');
    expect(JSON.stringify(written)).not.toMatch(/fl_live_x|"x"/);
    expect(written[0]).toMatchObject({ msg: 'hello', key: '[redacted]' });
  });

  it('tells what an error says and why, and nothing that hangs on it', () => {
    const { log, written } = lines();
    const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new Error('cannot write', { cause }), { client: { password: 'hunter2' } });
    log.error({ err: error }, 'failed');
    expect(written[0]).toMatchObject({
      err: { type: 'Error', message: 'cannot write', cause: { message: 'connection refused', code: 'ECONNREFUSED' } },
    });
    expect(JSON.stringify(written)).not.toContain('hunter2');
  });
});
