import { webhooks, type WebhookEvent, WebhookVerificationError } from '@florin/sdk';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface ReceiverOptions {
  /** The secret of the webhook endpoint. */
  readonly secret: string;
  /** Called once for each event. */
  readonly onEvent: (event: WebhookEvent) => void;
}

/** A server that verifies webhooks, acknowledges them, and skips those that it has received before. */
export function createReceiver({ secret, onEvent }: ReceiverOptions): Server {
  // In production, store the ids in the transaction that stores the effect of the event.
  const seen = new Set<string>();
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const event = await webhooks.verify(await bodyOf(request), request.headers['service-signature'], secret);
      response.writeHead(204).end();
      if (seen.has(event.id)) return;
      seen.add(event.id);
      onEvent(event);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      response.writeHead(400).end(error.code);
    }
  };
  return createServer((request, response) => void receive(request, response));
}

/** The exact bytes, because the signature covers them. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
