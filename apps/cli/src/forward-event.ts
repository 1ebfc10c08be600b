import { signPayload } from '@florin/kernel';
import type { WebhookEvent } from '@florin/webhooks-domain';

export interface Receiver {
  readonly url: string;
  readonly secret: string;
}

/** The outcome of one delivery attempt. */
export interface ForwardResult {
  readonly statusCode?: number;
  readonly error?: string;
  readonly durationMs: number;
}

const timeoutMs = 15_000;

/** Sends an event once, signed as Florin signs its webhooks. */
export async function forwardEvent(
  { url, secret }: Receiver,
  event: WebhookEvent,
  stop: AbortSignal,
): Promise<ForwardResult> {
  const body = JSON.stringify(event);
  const start = performance.now();
  const durationMs = () => Math.round(performance.now() - start);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Florin-Webhooks/1',
        'webhook-id': event.id,
        'service-signature': signPayload(secret, Math.floor(Date.now() / 1000), body),
      },
    });
    await response.body?.cancel();
    return { statusCode: response.status, durationMs: durationMs() };
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: { code?: string; message?: string } };
    return { error: cause?.code ?? cause?.message ?? message, durationMs: durationMs() };
  }
}
