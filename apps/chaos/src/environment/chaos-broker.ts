import { busServices } from '@florin/bus-trust';
import { freePort, KafkaBroker, TcpProxy } from '@florin/dev-platform';
import { join } from 'node:path';

/** A secured Kafka broker that can be killed, behind a proxy whose address it advertises. */
export class ChaosBroker {
  private killed = false;

  private constructor(
    private readonly broker: KafkaBroker,
    readonly proxy: TcpProxy,
  ) {}

  static async start(dataDirectory: string, log: (line: string) => void): Promise<ChaosBroker> {
    const port = await freePort();
    const proxy = await TcpProxy.start({ listen: { port: 0 }, upstreams: () => [{ port }] });
    try {
      const options = { dataDirectory: join(dataDirectory, 'kafka'), port, advertisedPort: proxy.port };
      return new ChaosBroker(await KafkaBroker.start({ ...options, services: busServices, log }), proxy);
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  /** The address for the product. */
  get address(): string {
    return `127.0.0.1:${this.proxy.port}`;
  }

  /** The settings of a client that may do everything. */
  get administrator(): KafkaBroker['administrator'] {
    return this.broker.administrator;
  }

  connectionOf(service: string): Record<string, string> {
    return this.broker.connectionOf(service);
  }

  async kill(): Promise<void> {
    this.killed = true;
    await this.broker.kill();
  }

  async restart(): Promise<void> {
    if (this.killed) await this.broker.restart();
    this.killed = false;
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await this.broker.stop();
  }
}
