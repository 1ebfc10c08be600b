import type { CommandReply } from '@florin/event-sourcing';
import type { RevealAnswer } from '@florin/operations-domain';
import { OperationsSimulation } from './testing/simulation/operations-simulation';
import { acme, historyOf, ida } from './testing/simulation/sample-companies';

afterEach(() => OperationsSimulation.closeAll());

const { cardId, accountId } = ida;
const open = async () => OperationsSimulation.open({ history: await historyOf('100.00') });
const reveal = (simulation: OperationsSimulation, data: object = {}): Promise<CommandReply<RevealAnswer>> =>
  simulation.request('operations', cardId, { type: 'RevealCard', data: { cardId, accountId, ...data } });
const change = (simulation: OperationsSimulation, type: string) =>
  simulation.request('operations', accountId, { type, data: { cardId, accountId, requestId: type } });

describe('RevealCard', () => {
  it('returns the last digits in the sandbox, stores nothing, and can be repeated', async () => {
    const simulation = await open();
    const before = (await simulation.recorded()).length;
    for (let each = 0; each < 2; each++) {
      expect(await reveal(simulation)).toEqual({
        ok: true,
        repeated: false,
        answer: { last4: expect.stringMatching(/^\d{4}$/) },
      });
    }
    expect(await simulation.recorded()).toHaveLength(before);
  });

  it('refuses a card that does not exist or belongs to another account', async () => {
    const simulation = await open();
    for (const data of [{ cardId: '00000000-0000-4000-8000-000000000099' }, { accountId: acme.accountId }]) {
      expect(await reveal(simulation, data)).toMatchObject({ ok: false, refusal: { refused: 'not_found' } });
    }
  });

  it('shows frozen cards', async () => {
    const simulation = await open();
    await change(simulation, 'FreezeCard');
    expect(await reveal(simulation)).toMatchObject({ ok: true });
  });
});
