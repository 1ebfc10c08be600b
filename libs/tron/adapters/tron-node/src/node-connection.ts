import { ChainUnavailable } from '@florin/tron-application';
import { JsonPost } from './json-post';

export interface NodeConnectionOptions {
  readonly url: URL;
  readonly timeoutMs: number;
  readonly apiKey?: string;
}

export interface NodeConnection {
  /** Calls a method of the node's `walletsolidity` API, which serves solidified blocks only. */
  request<Response>(method: string, payload: object): Promise<Response>;
  /** Aborts all requests in flight. */
  close(): Promise<void>;
}

export type ConnectToNode = (options: NodeConnectionOptions) => Promise<NodeConnection>;

/** A block is limited to two megabytes, which can be several times as much in JSON. */
const maxResponseBytes = 64 * 1024 * 1024;
/** More connections would not be faster and would load the node. */
const maxConnections = 64;

/**
 * Connects with tronweb, but over an undici transport: tronweb's own does not limit the size of a response, hides the
 * Retry-After header and takes longer than all other work on a block.
 */
export const connectToNode: ConnectToNode = async ({ url, timeoutMs, apiKey }) => {
  const [{ TronWeb, providers }, { Pool }] = await Promise.all([import('tronweb'), import('undici')]);
  const pool = new Pool(url.origin, { connections: maxConnections, maxResponseSize: maxResponseBytes });
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey };
  const json = new JsonPost(pool, { headers, timeoutMs });
  const folder = url.pathname.replace(/\/*$/, '/');

  class NodeProvider extends providers.HttpProvider {
    override async request<Response>(path: string, payload: object = {}): Promise<Response> {
      const text = await json.post(folder + path, payload);
      try {
        return JSON.parse(text) as Response;
      } catch (cause) {
        throw new ChainUnavailable(`The TRON node returned something that is not JSON for ${path}`, { cause });
      }
    }
  }

  const node = new NodeProvider(url.href, timeoutMs);
  const { solidityNode } = new TronWeb({ fullNode: node, solidityNode: node, eventServer: node });
  return {
    request: (method, payload) => solidityNode.request(`walletsolidity/${method}`, payload, 'post'),
    close: () => pool.destroy(),
  };
};
