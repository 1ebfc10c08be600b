import type { Block, BlockHead, Chain } from '@florin/tron-application';
import type { NodeBlock, NodeTransactionInfo } from './node-responses';
import { connectToNode, type NodeConnection, type NodeConnectionOptions } from './node-connection';
import { readBlock, readHead, type Watched } from './read-block';
import { accountOf, isTronAddress } from './tron-address';

export interface TronNodeOptions {
  /** `TRON_NODE_URL`: a node's HTTP API, under which `/walletsolidity` is called. */
  readonly url: string;
  /** `TRON_USDT_CONTRACT`. */
  readonly contract: string;
  /** `TRON_ADDRESSES`: transfers to these are ours. */
  readonly addresses: readonly string[];
  /** How long the node may take for one answer; 10 seconds unless told. */
  readonly timeoutMs?: number;
  /** Public nodes know their customers by it. */
  readonly apiKey?: string;
}

/** The chain as a TRON node shows it. Only what is solidified is ever asked for. */
export class TronNodeChain implements Chain {
  private readonly node: NodeConnectionOptions;
  private readonly watched: Watched;
  private connection: Promise<NodeConnection> | undefined;

  constructor({ url, contract, addresses, timeoutMs = 10_000, apiKey }: TronNodeOptions) {
    rejectInvalid('TRON_USDT_CONTRACT', [contract]);
    rejectInvalid('TRON_ADDRESSES', addresses);
    this.node = { url: nodeUrl(url), timeoutMs, apiKey };
    this.watched = {
      contract: accountOf(contract),
      addresses: new Map(addresses.map((address) => [accountOf(address), address])),
    };
  }

  async solidHead(): Promise<BlockHead> {
    return readHead(await this.ask<NodeBlock>('getnowblock', {}));
  }

  async readBlock(number: number): Promise<Block> {
    const [block, infos] = await Promise.all([
      this.ask<NodeBlock>('getblockbynum', { num: number }),
      this.ask<NodeTransactionInfo[]>('gettransactioninfobyblocknum', { num: number }),
    ]);
    return readBlock(number, block, infos, this.watched);
  }

  /** Breaks off whatever is under way. */
  async close(): Promise<void> {
    const connection = await this.connection;
    await connection?.close();
  }

  private async ask<Answer>(method: string, payload: object): Promise<Answer> {
    this.connection ??= connectToNode(this.node);
    const connection = await this.connection;
    return connection.ask(method, payload);
  }
}

function rejectInvalid(variable: string, addresses: readonly string[]): void {
  const wrong = addresses.filter((address) => !isTronAddress(address));
  if (wrong.length === 0) return;
  throw new Error(
    `${variable} has no TRON address in ${wrong.join(', ')}: give T and 33 more characters, as a wallet shows it.`,
  );
}

/** The address itself is kept out of the message, since somebody may have put a key into it. */
function nodeUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!plain || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      'TRON_NODE_URL is not usable: give an http or https address without user name, password, query or fragment.',
    );
  }
  return url;
}
