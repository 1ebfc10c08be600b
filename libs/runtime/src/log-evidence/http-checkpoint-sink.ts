import type { CheckpointJson, CheckpointSink } from '@florin/event-sourcing';
import { type HttpAddress, parseHttpAddress } from './http-address';

const timeoutMs = 10_000;

/** Sends each checkpoint in one POST request. The receiver recognizes a repeated one by its number. */
export class HttpCheckpointSink implements CheckpointSink {
  readonly batchSize = 1;
  private readonly address: HttpAddress;

  constructor(address: string) {
    this.address = parseHttpAddress(address);
  }

  async write(checkpoints: readonly CheckpointJson[]): Promise<void> {
    const { url, headers } = this.address;
    for (const checkpoint of checkpoints) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(checkpoint),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The checkpoint sink responded with status ${response.status}`);
    }
  }
}
