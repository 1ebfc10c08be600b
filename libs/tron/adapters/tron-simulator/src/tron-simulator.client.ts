import type { Fault } from './faults';
import type { Verb } from './control-api';
import type { ForkPlan, SimState, TronScripting } from './scripting';
import type { Filling, SimBlock } from './simulated-block';
import { type SimTransaction, transfer, type TransferTerms } from './transactions';

/** The same script for a simulator in another process. */
export class TronSimulatorClient implements TronScripting {
  constructor(private readonly url: string) {}

  mine(...transactions: readonly SimTransaction[]): Promise<SimBlock> {
    return this.tell('mine', transactions);
  }

  async mineEmpty(count: number): Promise<void> {
    await this.tell('mineEmpty', [count]);
  }

  /** Sent as the transaction it is, because JSON has no exact way to write an amount of millionths. */
  pay(terms: TransferTerms): Promise<SimBlock> {
    return this.mine(transfer(terms));
  }

  async fill(blocks: number, filling: Filling): Promise<void> {
    await this.tell('fill', [blocks, filling]);
  }

  async solidify(count?: number): Promise<void> {
    await this.tell('solidify', count === undefined ? [] : [count]);
  }

  async fork(plan: ForkPlan): Promise<void> {
    await this.tell('fork', [plan]);
  }

  async setTime(time: string): Promise<void> {
    await this.tell('setTime', [time]);
  }

  async fault(fault: Fault): Promise<void> {
    await this.tell('fault', [fault]);
  }

  async lagBehind(blocks: number): Promise<void> {
    await this.tell('lagBehind', [blocks]);
  }

  async throttle(requestsPerSecond: number): Promise<void> {
    await this.tell('throttle', [requestsPerSecond]);
  }

  async heal(): Promise<void> {
    await this.tell('heal', []);
  }

  state(): Promise<SimState> {
    return this.tell('state', []);
  }

  private async tell<Name extends Verb, Answer = Awaited<ReturnType<TronScripting[Name]>>>(
    verb: Name,
    parameters: readonly unknown[],
  ): Promise<Answer> {
    const response = await fetch(`${this.url}/sim/${verb}`, { method: 'POST', body: JSON.stringify(parameters) });
    const answer = (await response.json()) as Answer & { readonly message?: string };
    if (!response.ok) throw new Error(`The TRON simulator at ${this.url} refused ${verb}: ${answer.message}`);
    return answer;
  }
}
