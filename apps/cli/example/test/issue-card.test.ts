import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { connect } from '../src/florin.js';
import { issueCard } from '../src/issue-card.js';

void test('issues one card for an order, also when the order is repeated', async () => {
  const florin = connect();
  const orderId = randomUUID();
  await florin.sandbox.fund({ amount: '250.00' });
  const customer = { id: orderId, name: 'Ida Example', email: 'ida@example.com' };
  const order = { orderId, customer, amount: '100.00' };
  const first = await issueCard(florin, order);
  const second = await issueCard(florin, order);
  assert.equal(first.status, 'completed');
  assert.equal(second.result.cardId, first.result.cardId);
});
