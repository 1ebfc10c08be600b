import type { CommandMessage } from '@florin/event-sourcing';
import { refuse } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import type { DueInvoices } from './due-invoices.port';
import { InvoiceClock } from './invoice-clock';
import type { InvoicingOptions } from './invoicing-options';

const clock = manualClock('2030-01-01T00:01:00.000Z');

function clockOver(reply: (key: string) => Promise<unknown>, due: Partial<DueInvoices> = {}) {
  const lines: string[] = [];
  const asked: object[] = [];
  const looks: Date[][] = [];
  const write = (_details: object, message: string): void => void lines.push(message);
  const options: InvoicingOptions = {
    addresses: [],
    lifetimeMs: 1,
    minimumAmount: '10.00',
    watchdog: { everyMs: 1, stalledAfterMs: 20_000 },
    log: { info: () => undefined, warn: write, error: write },
  };
  const request = <Reply>({ context, key, command }: CommandMessage): Promise<Reply> => {
    asked.push({ context, key, ...command });
    return reply(key) as Promise<Reply>;
  };
  const port: DueInvoices = {
    expiredBefore: async (now) => {
      looks.push([now]);
      return ['TestSandbox1'];
    },
    unchangedSince: async (before) => {
      looks.at(-1)?.push(before);
      return [{ accountId: 'a', invoiceId: 'i1' }];
    },
    ...due,
  };
  const invoiceClock = new InvoiceClock(port, { request, send: async () => undefined }, clock, options);
  return { invoiceClock, lines, asked, looks };
}

const done = async (): Promise<unknown> => ({ ok: true, repeated: false, answer: null });

describe('InvoiceClock', () => {
  it('closes the claims of expired sandbox invoices and advances stalled invoices', async () => {
    const { invoiceClock, lines, asked, looks } = clockOver(done);
    await invoiceClock.tick();
    expect(looks).toEqual([[new Date('2030-01-01T00:01:00.000Z'), new Date('2030-01-01T00:00:40.000Z')]]);
    const closed = { address: 'TestSandbox1', readTo: '2030-01-01T00:01:00.000Z' };
    expect(asked).toEqual([
      { context: 'invoicing', key: 'TestSandbox1', type: 'CloseClaims', data: closed },
      { context: 'invoicing', key: 'a', type: 'AdvanceInvoice', data: { accountId: 'a', invoiceId: 'i1' } },
    ]);
    expect(lines).toEqual([]);
  });

  it('continues with the others when one fails or is refused, and logs it', async () => {
    const { invoiceClock, lines, asked } = clockOver((key) =>
      key === 'a'
        ? Promise.reject(new Error('no reply'))
        : Promise.resolve({ ok: false, refusal: refuse('wrong_status', 'It has ended') }),
    );
    await invoiceClock.tick();
    expect(asked).toHaveLength(2);
    expect(lines.sort()).toEqual([
      'Advancing an invoice was rejected; check the refusal',
      'Cannot advance an invoice; retrying',
    ]);
  });

  it('continues after a failed query', async () => {
    const { invoiceClock, lines } = clockOver(done, {
      unchangedSince: () => Promise.reject(new Error('no database')),
    });
    await invoiceClock.tick();
    expect(lines).toEqual(['Cannot read due invoices; retrying']);
  });

  it('runs periodically until it is stopped and can be started again', async () => {
    let onLook = (): void => undefined;
    let looks = 0;
    const { invoiceClock } = clockOver(done, {
      expiredBefore: async () => {
        looks += 1;
        onLook();
        return [];
      },
    });
    const looked = (times: number): Promise<void> =>
      new Promise((resolve) => (onLook = () => (looks >= times ? resolve() : undefined)));
    invoiceClock.onApplicationBootstrap();
    invoiceClock.start();
    await looked(3);
    await invoiceClock.beforeApplicationShutdown();
    const stoppedAfter = looks;
    invoiceClock.start();
    await looked(stoppedAfter + 2);
    await invoiceClock.stop();
    await invoiceClock.stop();
  });
});
