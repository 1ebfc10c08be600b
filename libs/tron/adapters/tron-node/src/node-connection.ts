import { ChainUnavailable } from '@florin/tron-application';
import { JsonPost } from './json-post';

export interface NodeConnectionOptions {
  readonly url: URL;
  readonly timeoutMs: number;
  readonly apiKey?: string;
}

export interface NodeConnection {
  /** One of the node's methods about what is solidified. */
  ask<Answer>(method: string, payload: object): Promise<Answer>;
  /** Breaks off whatever is under way. */
  close(): Promise<void>;
}

/** Blocks have at most two megabytes, which may become several times as much in JSON. */
const maxResponseBytes = 64 * 1024 * 1024;
/** More at once would be no faster, and hard on the node. */
const maxConnections = 64;

/**
 * A TRON client. Its package takes long to load, so that only those pay who read a chain. Its own transport neither
 * bounds an answer nor tells how long a busy node wants to be left alone, and costs more time than all the rest of a
 * block: it gets another one.
 */
export async function connectToNode({ url, timeoutMs, apiKey }: NodeConnectionOptions): Promise<NodeConnection> {
  const [{ TronWeb, providers }, { Pool }] = await Promise.all([import('tronweb'), import('undici')]);
  const pool = new Pool(url.origin, { connections: maxConnections, maxResponseSize: maxResponseBytes });
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey };
  const json = new JsonPost(pool, { headers, timeoutMs });
  const folder = url.pathname.replace(/\/*$/, '/');

  class NodeProvider extends providers.HttpProvider {
    override async request<Answer>(path: string, payload: object = {}): Promise<Answer> {
      const text = await json.post(folder + path, payload);
      try {
        return JSON.parse(text) as Answer;
      } catch (cause) {
        throw new ChainUnavailable(`The TRON node answered ${path} with something that is not JSON`, { cause });
      }
    }
  }

  const node = new NodeProvider(url.href, timeoutMs);
  const { solidityNode } = new TronWeb({ fullNode: node, solidityNode: node, eventServer: node });
  return {
    ask: (method, payload) => solidityNode.request(`walletsolidity/${method}`, payload, 'post'),
    close: () => pool.destroy(),
  };
}
