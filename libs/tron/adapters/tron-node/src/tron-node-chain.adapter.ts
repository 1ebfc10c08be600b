import type { Block, BlockHead, Chain } from '@florin/tron-application';
import { type ConnectToNode, connectToNode, type NodeConnection, type NodeConnectionOptions } from './node-connection';
import type { NodeBlock, NodeTransactionInfo } from './node-responses';
import { readBlock, readHead, type WatchedAddresses } from './read-block';
import { accountOf, isTronAddress } from './tron-address';

export interface TronNodeOptions {
  /** `TRON_NODE_URL`: the node's HTTP API, without `/walletsolidity`. */
  readonly url: string;
  /** `TRON_USDT_CONTRACT`. */
  readonly contract: string;
  /** `TRON_ADDRESSES`: transfers to these addresses are recorded. */
  readonly addresses: readonly string[];
  /** The time limit of one request; 10 seconds by default. */
  readonly timeoutMs?: number;
  /** Identifies the customer of a hosted node. */
  readonly apiKey?: string;
}

/** Reads the chain from a TRON node, solidified blocks only. */
export class TronNodeChain implements Chain {
  readonly addresses: readonly string[];
  private readonly node: NodeConnectionOptions;
  private readonly watched: WatchedAddresses;
  private connection: Promise<NodeConnection> | undefined;

  constructor(
    { url, contract, addresses, timeoutMs = 10_000, apiKey }: TronNodeOptions,
    private readonly connect: ConnectToNode = connectToNode,
  ) {
    rejectInvalid('TRON_USDT_CONTRACT', [contract]);
    rejectInvalid('TRON_ADDRESSES', addresses);
    this.addresses = [...new Set(addresses)].sort();
    this.node = { url: nodeUrl(url), timeoutMs, apiKey };
    this.watched = {
      contract: accountOf(contract),
      addresses: new Map(addresses.map((address) => [accountOf(address), address])),
    };
  }

  async solidHead(): Promise<BlockHead> {
    return readHead(await this.request<NodeBlock>('getnowblock', {}));
  }

  async readBlock(number: number): Promise<Block> {
    const [block, infos] = await Promise.all([
      this.request<NodeBlock>('getblockbynum', { num: number }),
      this.request<NodeTransactionInfo[]>('gettransactioninfobyblocknum', { num: number }),
    ]);
    return readBlock(number, block, infos, this.watched);
  }

  /** Aborts all requests in flight. */
  async close(): Promise<void> {
    const connection = await this.connection;
    await connection?.close();
  }

  private async request<Response>(method: string, payload: object): Promise<Response> {
    this.connection ??= this.connect(this.node);
    const connection = await this.connection;
    return connection.request(method, payload);
  }
}

function rejectInvalid(variable: string, addresses: readonly string[]): void {
  const invalid = addresses.filter((address) => !isTronAddress(address));
  if (invalid.length === 0) return;
  throw new Error(
    `${variable} contains no valid TRON address in ${invalid.join(', ')}. Use T and 33 more characters, as a wallet shows it.`,
  );
}

/** The message leaves the URL out because it may contain a key. */
function nodeUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      'TRON_NODE_URL is invalid. Use an http or https URL without user name, password, query or fragment.',
    );
  }
  return url;
}
