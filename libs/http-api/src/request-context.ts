import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestContext {
  readonly requestId: string;
  readonly companyId?: string;
}

/**
 * Lets every log line tell which request it belongs to, without handing the id through every call. Empty unless the
 * option `requestContext` is on; the lines that the gateway itself writes name their request anyway.
 */
export const requestContext = new AsyncLocalStorage<RequestContext>();
