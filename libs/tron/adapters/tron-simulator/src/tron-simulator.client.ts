import type { Fault } from './faults';
import type { Verb } from './control-api';
import type { ForkPlan, SimState, TronScripting } from './scripting';
import type { Filling, SimBlock } from './simulated-block';
import { type SimTransaction, transfer, type TransferTerms } from './transactions';

/** Controls a simulator in another process. */
export class TronSimulatorClient implements TronScripting {
  constructor(private readonly url: string) {}

  mine(...transactions: readonly SimTransaction[]): Promise<SimBlock> {
    return this.post('mine', transactions);
  }

  async mineEmpty(count: number): Promise<void> {
    await this.post('mineEmpty', [count]);
  }

  /** Sends a whole transaction, because JSON numbers cannot represent every amount exactly. */
  pay(terms: TransferTerms): Promise<SimBlock> {
    return this.mine(transfer(terms));
  }

  async fill(blocks: number, filling: Filling): Promise<void> {
    await this.post('fill', [blocks, filling]);
  }

  async solidify(count?: number): Promise<void> {
    await this.post('solidify', count === undefined ? [] : [count]);
  }

  async fork(plan: ForkPlan): Promise<void> {
    await this.post('fork', [plan]);
  }

  async setTime(time: string): Promise<void> {
    await this.post('setTime', [time]);
  }

  async fault(fault: Fault): Promise<void> {
    await this.post('fault', [fault]);
  }

  async lagBehind(blocks: number): Promise<void> {
    await this.post('lagBehind', [blocks]);
  }

  async throttle(requestsPerSecond: number): Promise<void> {
    await this.post('throttle', [requestsPerSecond]);
  }

  async heal(): Promise<void> {
    await this.post('heal', []);
  }

  state(): Promise<SimState> {
    return this.post('state', []);
  }

  private async post<Name extends Verb, Result = Awaited<ReturnType<TronScripting[Name]>>>(
    verb: Name,
    parameters: readonly unknown[],
  ): Promise<Result> {
    const response = await fetch(`${this.url}/sim/${verb}`, { method: 'POST', body: JSON.stringify(parameters) });
    const result = (await response.json()) as Result & { readonly message?: string };
    if (!response.ok) throw new Error(`The TRON simulator at ${this.url} rejected ${verb}: ${result.message}`);
    return result;
  }
}
