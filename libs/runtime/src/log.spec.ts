import { createLog, terminalOutput } from './log';

function lines(level = 'info') {
  const written: Record<string, unknown>[] = [];
  const write = (text: string): void => void written.push(JSON.parse(text) as Record<string, unknown>);
  return { log: createLog(level, { write }), written };
}

describe('createLog', () => {
  it('redacts secrets at every depth', () => {
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

  it('logs the message and the causes of an error, without its other properties', () => {
    const { log, written } = lines();
    const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new Error('cannot write', { cause }), { client: { password: 'hunter2' } });
    log.error({ err: error }, 'failed');
    expect(written[0]).toMatchObject({
      err: { type: 'Error', message: 'cannot write', cause: { message: 'connection refused', code: 'ECONNREFUSED' } },
    });
    expect(JSON.stringify(written)).not.toContain('hunter2');
  });

  it('writes readable lines to a terminal, errors with their stack', () => {
    let text = '';
    const log = createLog(
      'info',
      terminalOutput((line) => (text += line)),
    );
    log.info({ baseUrl: 'http://127.0.0.1:3000', checks: [1] }, 'Florin is ready');
    log.error({ err: new Error('broken'), token: 'secret' }, 'It failed');
    const plain = text.replace(/\u001b\[\d+m/g, '');
    expect(plain).toMatch(
      /^\[\d\d:\d\d:\d\d] INFO: Florin is ready {"baseUrl":"http:\/\/127.0.0.1:3000","checks":\[1]}\n/,
    );
    expect(plain).toMatch(/ERROR: It failed {"token":"\[redacted]"}\n[^]*Error: broken\n +at /);
  });
});
