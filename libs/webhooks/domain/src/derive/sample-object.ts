import { deterministicId } from '@florin/kernel';
import type { EndpointAnswer, SampleTriggered } from '../endpoint/endpoint.messages';
import type { WebhookEventType } from '../event-types';
import type { CardObject } from './derive-card';
import type { HolderObject } from './derive-holder';
import type { InvoiceObject } from './derive-invoice';
import type { OperationObject } from '@florin/operations-domain';
import type { TransactionObject } from './derive-transaction';

type Sample = CardObject | EndpointAnswer | HolderObject | InvoiceObject | OperationObject | TransactionObject;

/** A fictitious object for an event of this type. Each sample has separate ids, none of which exists. */
export function sampleObject({ eventType, requestId, environment, requestedAt }: SampleTriggered['data']): Sample {
  const idOf = (name: string) => deterministicId('webhook sample', requestId, name);
  return samples[eventType]({ idOf, environment, at: requestedAt });
}

interface Occasion {
  idOf(name: string): string;
  readonly environment: SampleTriggered['data']['environment'];
  readonly at: string;
}

const samples: Readonly<Record<WebhookEventType, (occasion: Occasion) => Sample>> = {
  'operation.queued': (occasion) => operation(occasion, { status: 'queued' }),
  'operation.completed': (occasion) => {
    const result = { cardId: occasion.idOf('card'), receipt: 'R-SAMPLE' };
    return operation(occasion, { status: 'completed', result });
  },
  'operation.failed': (occasion) => {
    const failure = { code: 'declined', message: 'The issuer declined this sample.' };
    return operation(occasion, { status: 'failed', failure });
  },
  'operation.manual_review': (occasion) => operation(occasion, { status: 'manual_review' }),
  'invoice.pending': (occasion) => invoice(occasion, 'pending'),
  'invoice.completed': (occasion) => {
    const settlement = { transactionId: '5a'.repeat(32), blockNumber: 1, blockTime: occasion.at };
    return { ...invoice(occasion, 'completed'), settlement };
  },
  'invoice.expired': (occasion) => invoice(occasion, 'expired'),
  'invoice.failed': (occasion) => invoice(occasion, 'failed'),
  'invoice.manual_review': (occasion) => invoice(occasion, 'manual_review'),
  'card.created': (occasion) => card(occasion, { status: 'active' }),
  'card.updated': (occasion) => card(occasion, { status: 'frozen' }),
  'transaction.created': (occasion) => transaction(occasion, 'pending'),
  'transaction.updated': (occasion) => transaction(occasion, 'completed'),
  'holder.created': (occasion) => holder(occasion, 'active'),
  'holder.updated': (occasion) => holder(occasion, 'blocked'),
  'webhook_endpoint.disabled': ({ idOf, at }) => ({
    id: idOf('webhook endpoint'),
    url: 'https://example.com/webhooks',
    status: 'disabled',
    disabledReason: 'failing',
    createdAt: at,
  }),
};

type Change<ApiObject> = Partial<ApiObject> & Pick<ApiObject, 'status' & keyof ApiObject>;

function operation({ idOf, environment, at }: Occasion, change: Change<OperationObject>): OperationObject {
  const money = { amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD' } as const;
  const order = { productId: 'virtual-usd', holderId: idOf('holder'), name: 'Sample' };
  const times = { createdAt: at, updatedAt: at };
  return { id: idOf('operation'), environment, type: 'issue', ...money, ...order, result: {}, ...times, ...change };
}

function invoice({ idOf, environment, at }: Occasion, status: InvoiceObject['status']): InvoiceObject {
  return {
    ...{ id: idOf('invoice'), environment, status, depositAmount: '100.00', fee: '1.50', creditAmount: '98.50' },
    ...{ address: 'TSampleAddressThatNobodyCanPayTo00', payAmount: '100.003127', asset: 'USDT', network: 'TRON' },
    ...{ expiresAt: new Date(Date.parse(at) + 60 * 60 * 1000).toISOString(), createdAt: at },
  };
}

function card({ idOf, at }: Occasion, change: Change<CardObject>): CardObject {
  const facts = { name: 'Sample', holderId: idOf('holder'), last4: '4242', productId: 'virtual-usd' };
  const money = { balance: '100.00', available: '100.00', limits: {}, metadata: {} };
  return { id: idOf('card'), ...facts, ...money, createdAt: at, updatedAt: at, ...change };
}

function transaction({ idOf, at }: Occasion, status: TransactionObject['status']): TransactionObject {
  return {
    ...{ id: idOf('transaction'), cardId: idOf('card'), reference: 'txn_sample', type: 'purchase', status },
    ...{ amount: '12.50', currency: 'USD', merchant: 'Coffee House', country: 'NL' },
    ...{ description: 'Sample', authorizedAmount: '12.50', clearedAmount: status === 'completed' ? '12.50' : '0.00' },
    ...{ occurredAt: at, updatedAt: at },
  };
}

function holder({ idOf, at }: Occasion, status: HolderObject['status']): HolderObject {
  const person = { name: 'Ida Example', email: 'ida@example.com' };
  return { id: idOf('holder'), ...person, kind: 'individual', status, externalId: 'sample', updatedAt: at };
}
