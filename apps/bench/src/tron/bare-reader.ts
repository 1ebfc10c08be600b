import { Pool } from 'undici';

/** Fetches and parses both responses of each block and does nothing else: the lower limit of the cost. */
export class BareReader {
  private readonly pool: Pool;

  constructor(
    url: string,
    private readonly concurrency: number,
  ) {
    this.pool = new Pool(url, { connections: 2 * concurrency });
  }

  async read(fromBlock: number, toBlock: number): Promise<void> {
    let next = fromBlock;
    const readers = Array.from({ length: this.concurrency }, async () => {
      while (next <= toBlock) await this.readBlock(next++);
    });
    await Promise.all(readers);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async readBlock(num: number): Promise<void> {
    await Promise.all(
      ['getblockbynum', 'gettransactioninfobyblocknum'].map(async (method) => {
        const { body } = await this.pool.request({
          path: `/walletsolidity/${method}`,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ num }),
        });
        JSON.parse(await body.text());
      }),
    );
  }
}
