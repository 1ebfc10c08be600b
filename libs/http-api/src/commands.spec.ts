import { type CommandMessage, NoReply } from '@florin/event-sourcing';
import { isUuid, randomId, refuse } from '@florin/kernel';
import type { AcceptedRequestQueries, AcceptedRequestView } from '@florin/read-models';
import { Commands } from './commands';
import { CommandTurns } from './rate-limit/command-turns';

const sent: CommandMessage[] = [];
let reply: unknown;
const accepted = new Map<string, AcceptedRequestView>();
let isBehind = false;

const commands = new Commands(
  {
    request: async <Reply>(message: CommandMessage): Promise<Reply> => {
      sent.push(message);
      if (reply instanceof Error) throw reply;
      return reply as Reply;
    },
    send: async () => undefined,
  },
  {
    find: async (_, id) => accepted.get(id),
    findNow: async (_, id) => (isBehind ? undefined : accepted.get(id)),
  } as AcceptedRequestQueries,
  new CommandTurns({ rateLimits: { live: 0, sandbox: 0 } }),
);

const command = { type: 'DepositFunds', data: { amount: '1.00' } };
const toSend = { context: 'ledger', key: 'account-1', command };
const origin = { requestId: 'r-1', traceparent: '00-trace', actor: { kind: 'api_key', id: 'k-1' } } as const;

beforeEach(() => {
  sent.length = 0;
  reply = { ok: true, repeated: false, answer: { balance: '1.00' } };
});

describe('Commands', () => {
  it('send the command with the request headers', async () => {
    await commands.execute(origin, { ...toSend, id: 'command-1' });
    const headers = { correlationId: 'r-1', causationId: 'r-1', actor: origin.actor, traceparent: '00-trace' };
    expect(sent).toEqual([{ ...toSend, id: 'command-1', headers }]);
  });

  it('derive the command id from the idempotency key, or generate one', async () => {
    const commandId = randomId();
    await commands.execute({ ...origin, idempotency: { commandId, fingerprint: 'x' } }, toSend);
    await commands.execute(origin, toSend);
    await commands.execute(origin, toSend);
    const [first, second, third] = sent.map(({ id }) => id);
    expect(first).toBe(commandId);
    expect(isUuid(second)).toBe(true);
    expect(third).not.toBe(second);
  });

  it.each([false, true])('return the result and whether it is a repeat: %s', async (repeated) => {
    reply = { ok: true, repeated, answer: { balance: '1.00' } };
    expect(await commands.execute(origin, toSend)).toMatchObject({ repeated, answer: { balance: '1.00' } });
  });

  it('map a refusal to the API error with the same code and message', async () => {
    reply = { ok: false, refusal: refuse('insufficient_funds', 'The account has 1.00 available') };
    const expected = { code: 'insufficient_funds', statusCode: 400, message: 'The account has 1.00 available' };
    await expect(commands.execute(origin, toSend)).rejects.toMatchObject(expected);
  });

  it('map a refusal code to the API code of the use case', async () => {
    reply = { ok: false, refusal: refuse('company_unknown', 'There is no company') };
    const execution = commands.execute(origin, { ...toSend, refusals: { company_unknown: 'not_found' } });
    await expect(execution).rejects.toMatchObject({ code: 'not_found', statusCode: 404 });
  });

  it('throw an unexpected error for a refusal without an API code', async () => {
    reply = { ok: false, refusal: refuse('toString', 'No way') };
    const error = await commands.execute(origin, toSend).catch((caught: unknown) => caught);
    expect(error).not.toHaveProperty('code');
    expect((error as Error).message).toContain('DepositFunds was refused with toString');
  });

  it('map an outdated request to an outage, because repeating it helps', async () => {
    reply = { ok: false, refusal: refuse('request_outdated', 'Too old') };
    await expect(commands.execute(origin, toSend)).rejects.toMatchObject({ code: 'unavailable', statusCode: 503 });
  });

  describe('of aggregates that remember only their newest requests', () => {
    const commandId = randomId();
    const keyed = { ...origin, idempotency: { commandId, fingerprint: 'of the body' } };
    const remembered = { fingerprint: 'f', replyAgain: async (stored: unknown) => ({ stored }) };
    beforeEach(() => accepted.clear());

    it('reply to a repeat from the read model without a command', async () => {
      accepted.set(commandId, { fingerprint: 'f', reply: { balance: '1.00' } });
      const repeated = await commands.execute(keyed, { ...toSend, remembered });
      expect(repeated).toEqual({ repeated: true, answer: { stored: { balance: '1.00' } } });
      accepted.set(commandId, { fingerprint: null, reply: null });
      const { replyAgain } = remembered;
      const again = await commands.execute(keyed, { ...toSend, remembered: { replyAgain } });
      expect(again).toEqual({ repeated: true, answer: { stored: null } });
      expect(sent).toEqual([]);
    });

    it('do not wait for the read model if the aggregate recognizes every repeat', async () => {
      accepted.set(commandId, { fingerprint: 'f', reply: null });
      isBehind = true;
      await commands.execute(keyed, { ...toSend, remembered: { ...remembered, isShortcut: true } });
      isBehind = false;
      expect(sent).toHaveLength(1);
      const repeated = await commands.execute(keyed, { ...toSend, remembered: { ...remembered, isShortcut: true } });
      expect(repeated).toEqual({ repeated: true, answer: { stored: null } });
    });

    it('send the command if there is no reply yet', async () => {
      accepted.set(commandId, { fingerprint: 'f', reply: null });
      await commands.execute(keyed, { ...toSend, remembered: { ...remembered, replyAgain: () => undefined } });
      expect(sent).toHaveLength(1);
    });

    it('reject a different request with the same key', async () => {
      accepted.set(commandId, { fingerprint: 'g', reply: null });
      const execution = commands.execute(keyed, { ...toSend, remembered });
      await expect(execution).rejects.toMatchObject({ code: 'idempotency_conflict', statusCode: 409 });
      expect(sent).toEqual([]);
    });

    it('send the command if no request with the key was accepted, or if it has no key', async () => {
      await commands.execute(keyed, { ...toSend, remembered });
      accepted.set(commandId, { fingerprint: 'g', reply: null });
      await commands.execute(origin, { ...toSend, remembered });
      expect(sent).toHaveLength(2);
    });
  });

  it('propagate NoReply', async () => {
    reply = new NoReply('none within 10 s');
    await expect(commands.execute(origin, toSend)).rejects.toBe(reply);
  });
});
