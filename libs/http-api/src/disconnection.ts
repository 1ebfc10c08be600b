import type { Cancellation } from '@florin/event-sourcing';
import type { ServerResponse } from 'node:http';

/** Reports that the client of a request has disconnected. It costs nothing until a read has to wait. */
export function disconnectionOf(response: ServerResponse): Cancellation {
  return {
    onCancel(listener) {
      if (response.destroyed) {
        listener();
        return () => undefined;
      }
      response.once('close', listener);
      return () => void response.off('close', listener);
    },
  };
}
