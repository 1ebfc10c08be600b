import { webhooks } from '@florin/sdk';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createReceiver } from '../src/receiver.js';

const secret = 'whsec_of-this-test';
const body = JSON.stringify({ id: 'evt_1', type: 'card.created', data: { object: {} } });
const received: string[] = [];
let receiver: Server;

before(async () => {
  receiver = createReceiver({ secret, onEvent: (event) => received.push(event.id) });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
});

after(() => {
  receiver.close();
  receiver.closeAllConnections();
});

async function post(signature: string): Promise<[number, string]> {
  const { port } = receiver.address() as AddressInfo;
  const headers = { 'service-signature': signature };
  const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers });
  return [response.status, await response.text()];
}

void test('acknowledges a signed event each time, and processes it once', async () => {
  assert.deepEqual(await post(await webhooks.sign(body, secret)), [204, '']);
  assert.deepEqual(await post(await webhooks.sign(body, secret)), [204, '']);
  assert.deepEqual(received, ['evt_1']);
});

void test('rejects an event that was signed with another secret', async () => {
  assert.deepEqual(await post(await webhooks.sign(body, 'whsec_other')), [400, 'signature_mismatch']);
});
