import { signWebhook, verifyWebhook, type VerifyOptions } from '@florin/webhook-verifier/web';
import type { WebhookEvent } from './api-types';

/** Needs no client and no API key. */
export const webhooks = {
  /**
   * Returns the event if `Service-Signature` is valid and recent. Otherwise throws a `WebhookVerificationError`: respond with
   * 400 and do nothing else. The body must be the exact bytes of the request, before anything parses it. Pass both secrets
   * during a rotation.
   */
  async verify(
    rawBody: string | Uint8Array,
    signature: string | readonly string[] | null | undefined,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<WebhookEvent> {
    return (await verifyWebhook(rawBody, signature, secret, options)) as WebhookEvent;
  },

  /** The `Service-Signature` that Florin would send with this body, for tests of your receiver. */
  sign(rawBody: string | Uint8Array, secrets: string | readonly string[], at?: Date): Promise<string> {
    return signWebhook(rawBody, secrets, at);
  },
};
