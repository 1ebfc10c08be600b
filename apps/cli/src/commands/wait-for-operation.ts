import type { OperationObject } from '@florin/operations-domain';
import { setTimeout } from 'node:timers/promises';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { CouldNotRun } from '../cli-errors';
import type { FlorinClient } from '../florin-client';
import { whileBusy } from '../while-busy';

const firstDelayMs = 100;
const maxDelayMs = 2_000;

/** Reads an operation until it is completed, failed or in review, which an operator decides at some time. */
export async function waitForOperation(
  context: CliContext,
  api: FlorinClient,
  created: OperationObject,
  timeoutSeconds: number,
): Promise<OperationObject> {
  const deadline = performance.now() + timeoutSeconds * 1_000;
  let operation = created;
  for (let delayMs = firstDelayMs; isRunning(operation); delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0) throw stillRunning(operation, timeoutSeconds);
    await setTimeout(Math.min(delayMs, remainingMs));
    operation = await whileBusy(context, () => api.get<OperationObject>(apiPath`/operations/${created.id}`));
  }
  return operation;
}

function isRunning({ status }: OperationObject): boolean {
  return status === 'queued' || status === 'processing';
}

function stillRunning({ id, status }: OperationObject, seconds: number): CouldNotRun {
  return new CouldNotRun(
    `Operation ${id} is still ${status} after ${seconds} s, and continues. Read it with \`florin operations show ${id}\`.`,
    { operationId: id, status },
  );
}
