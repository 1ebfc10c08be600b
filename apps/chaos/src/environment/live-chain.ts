import { simulatedAddress, simulatedContract, TronSimulator } from '@florin/tron-simulator';

export interface LiveInvoice {
  readonly id: string;
  readonly address: string;
  readonly payAmount: string;
  readonly creditAmount: string;
}

export interface Payment {
  readonly invoice: LiveInvoice;
  /** How often it was paid. A duplicate payment is credited once only. */
  times: number;
}

const blockIntervalMs = 500;

/** The simulated chain, and the payments of live invoices on it. */
export class LiveChain {
  readonly payments = new Map<string, Payment>();
  private readonly timer: NodeJS.Timeout;

  private constructor(private readonly simulator: TronSimulator) {
    this.timer = setInterval(() => simulator.mineEmpty(1), blockIntervalMs);
  }

  static async start(): Promise<LiveChain> {
    return new LiveChain(await TronSimulator.start());
  }

  /** The product's settings for this chain. */
  get settings(): Record<string, string> {
    return {
      TRON_NODE_URL: this.simulator.url,
      TRON_USDT_CONTRACT: simulatedContract,
      TRON_ADDRESSES: [simulatedAddress('treasury 1'), simulatedAddress('treasury 2')].join(','),
      TRON_START_BLOCK: String(this.simulator.state().firstBlock),
      TRON_BLOCKS_PER_SECOND: '1000',
    };
  }

  pay(invoice: LiveInvoice): void {
    const payment = this.payments.get(invoice.id) ?? { invoice, times: 0 };
    this.payments.set(invoice.id, payment);
    payment.times += 1;
    this.simulator.pay({ to: invoice.address, amount: invoice.payAmount });
  }

  /** Without new blocks the log stops growing. */
  stopMining(): void {
    clearInterval(this.timer);
  }

  async stop(): Promise<void> {
    this.stopMining();
    await this.simulator.stop();
  }
}
