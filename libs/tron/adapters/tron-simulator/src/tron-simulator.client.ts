import { type Verb, verbs } from './control-api';
import type { TronScripting } from './scripting';
import { transfer } from './transactions';

/** Controls a simulator in another process. */
export type TronSimulatorClient = {
  readonly [Name in Verb]: (
    ...parameters: Parameters<TronScripting[Name]>
  ) => Promise<Awaited<ReturnType<TronScripting[Name]>>>;
};

export function tronSimulatorClient(url: string): TronSimulatorClient {
  const post = async (verb: Verb, parameters: readonly unknown[]): Promise<unknown> => {
    const response = await fetch(`${url}/sim/${verb}`, { method: 'POST', body: JSON.stringify(parameters) });
    const result = (await response.json()) as { readonly message?: string };
    if (!response.ok) throw new Error(`The TRON simulator at ${url} rejected ${verb}: ${result.message}`);
    return result;
  };
  const callOf = (verb: Verb) => [verb, (...parameters: readonly unknown[]) => post(verb, parameters)] as const;
  const client = Object.fromEntries(verbs.map(callOf)) as unknown as TronSimulatorClient;
  // Sends a whole transaction, because JSON numbers cannot represent every amount exactly.
  return { ...client, pay: (terms) => client.mine(transfer(terms)) };
}
