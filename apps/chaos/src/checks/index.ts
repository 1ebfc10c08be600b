import { acknowledgedCheck, clientsCheck } from './acknowledged.check';
import { cardsCheck } from './cards.check';
import type { Check } from './check';
import { idempotencyCheck, refusalsCheck } from './idempotency.check';
import { issuerCallsCheck } from './issuer-calls.check';
import { deadLettersCheck, hashChainsCheck, readinessCheck } from './log.check';
import { moneyCheck } from './money.check';
import { operationsCheck } from './operations.check';
import { paymentsCheck } from './payments.check';
import { rebuildCheck } from './rebuild.check';

export const checks: readonly Check[] = [
  readinessCheck,
  deadLettersCheck,
  clientsCheck,
  acknowledgedCheck,
  idempotencyCheck,
  refusalsCheck,
  issuerCallsCheck,
  operationsCheck,
  moneyCheck,
  cardsCheck,
  paymentsCheck,
  hashChainsCheck,
  rebuildCheck,
];
