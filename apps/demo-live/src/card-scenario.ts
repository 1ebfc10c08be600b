import type { IssuerSimulator } from '@florin/issuer-simulator';
import type { Api } from './api';
import { until } from './until';

interface Operation {
  readonly id: string;
  readonly status: string;
  readonly result: { readonly cardId?: string };
}

interface Card {
  readonly id: string;
  readonly balance: string;
  readonly available: string;
}

interface Holders {
  readonly data: readonly { readonly id: string; readonly status: string }[];
}

export interface CardScenario {
  readonly company: Api;
  readonly operator: Api;
  readonly issuer: IssuerSimulator;
  readonly print: (line: string) => void;
}

/** A live card from its issue to its closing, with an authorization, a clearing and an unload in between. */
export async function runCardScenario({ company, operator, issuer, print }: CardScenario): Promise<void> {
  print('\n6. The company issues a card with 50 USD. The issuer is called once.');
  const holderId = await activeHolder(company, operator);
  const total = { expectedTotal: '53.10', productId: 'virtual-usd' };
  const issued = await complete(company, { type: 'issue', amount: '50.00', holderId, name: 'Travel', ...total });
  const cardId = issued.result.cardId!;
  const show = async (): Promise<void> => {
    const { balance, available } = await company.get<Card>(`/api/v1/cards/${cardId}`);
    print(`   The card has ${balance} USD, ${available} of it available.`);
  };
  await show();

  print('\n7. A café asks for 12.50. Florin decides in real time, and holds the money.');
  await company.patch(`/api/v1/cards/${cardId}`, { limits: { perTransaction: '20.00' } });
  const coffee = await issuer.network.authorize({ card: cardId, amount: '12.50', merchant: 'Coffee House' });
  print(`   The decision: ${coffee.decision}.`);
  await show();
  const watch = await issuer.network.authorize({ card: cardId, amount: '30.00', merchant: 'Watchmaker' });
  print(`   30.00 at a watchmaker: ${watch.decision}, ${watch.reason}. The card has a limit of 20.00 per payment.`);

  print('\n8. The café clears 11.00. The issuer reports it twice, which changes nothing.');
  issuer.callbacks.hold();
  await issuer.network.clear({ authorization: coffee.reference, amount: '11.00' });
  await issuer.callbacks.release({ times: 2 });
  await show();

  print('\n9. The company unloads the rest and closes the card.');
  await complete(company, { type: 'unload', cardId, amount: '39.00', expectedTotal: '39.00' });
  await show();
  await company.post(`/api/v1/cards/${cardId}/close`, {});
  const { available } = await company.get<{ readonly available: string }>('/api/v1/balance');
  print(`   The card is closed. Available on the account: ${available} USD.`);
}

async function activeHolder(company: Api, operator: Api): Promise<string> {
  const { data } = await company.get<Holders>('/api/v1/holders');
  const [holder] = data;
  if (holder === undefined) throw new Error('The demo company has no holder.');
  await operator.post(`/operator/v1/holders/${holder.id}/status`, { status: 'active' });
  return holder.id;
}

async function complete(company: Api, order: object): Promise<Operation> {
  const { id } = await company.post<Operation>('/api/v1/operations', order);
  const hasEnded = ({ status }: Operation): boolean => status === 'completed' || status === 'failed';
  const operation = await until(() => company.get<Operation>(`/api/v1/operations/${id}`), hasEnded);
  if (operation.status !== 'completed') throw new Error(`The operation failed: ${JSON.stringify(operation)}`);
  return operation;
}
