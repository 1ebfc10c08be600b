import type { CheckpointJson, CheckpointSink } from '@florin/event-sourcing';

const timeoutMs = 10_000;

/** Sends each checkpoint in one POST request. The receiver recognizes a repeated one by its number. */
export class HttpCheckpointSink implements CheckpointSink {
  readonly batchSize = 1;
  private readonly url: URL;
  private readonly headers: Record<string, string> = { 'content-type': 'application/json' };

  /** A user and a password in the address are sent as Basic authorization. */
  constructor(address: string) {
    this.url = new URL(address);
    const { username, password } = this.url;
    if (username === '') return;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`;
    this.url.username = '';
    this.url.password = '';
  }

  async write(checkpoints: readonly CheckpointJson[]): Promise<void> {
    for (const checkpoint of checkpoints) {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: this.headers,
        body: JSON.stringify(checkpoint),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`The checkpoint sink responded with status ${response.status}`);
    }
  }
}
