import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from './florin.js';
import { issueCard } from './issue-card.js';
import { createReceiver } from './receiver.js';

const port = Number(process.env.PORT ?? 4000);

/** Issues a card in the sandbox, and ends when the webhook about it was verified. */
async function main(): Promise<void> {
  const florin = connect();
  const { id: endpointId, secret } = await florin.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/webhooks` });
  const { receiver, completed } = await startReceiver(secret);

  const orderId = randomUUID();
  await florin.sandbox.fund({ amount: '250.00' }, { idempotencyKey: `${orderId}-funding` });
  const customer = { id: orderId, name: 'Ida Example', email: 'ida@example.com' };
  const { status, total, result } = await issueCard(florin, { orderId, customer, amount: '100.00' });
  console.log(`card ${result.cardId ?? '-'}: ${status}, total ${total}`);
  if (status === 'completed') await completed;

  await florin.webhookEndpoints.delete(endpointId);
  receiver.close();
  receiver.closeAllConnections();
}

async function startReceiver(secret: string) {
  let complete = (): void => undefined;
  const completed = new Promise<void>((resolve) => (complete = resolve));
  const receiver = createReceiver({
    secret,
    onEvent: ({ type, id }) => {
      console.log(`verified ${type} ${id}`);
      if (type === 'operation.completed') complete();
    },
  });
  await once(receiver.listen(port, '127.0.0.1'), 'listening');
  return { receiver, completed };
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
