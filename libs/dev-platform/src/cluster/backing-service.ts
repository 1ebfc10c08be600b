import { setTimeout as delay } from 'node:timers/promises';
import { signalProcess } from '../process/process-list';
import type { ProcessRecord } from './process-record';
import type { ServiceListener, ServiceState } from './service-process';

export interface BackingServer {
  readonly pid: number;
  stop(): Promise<void>;
}

export type OpenServer = (onLost: (error: Error) => void) => Promise<BackingServer>;

const backoffMs = { min: 200, max: 10_000 } as const;

/** A server that the services use: started before them, stopped after them, and restarted when it exits unexpectedly. */
export class BackingService {
  state: ServiceState = 'stopped';
  private server: BackingServer | undefined;
  private isWanted = true;
  /** The start or restart in progress. */
  private work: Promise<unknown> = Promise.resolve();
  private readonly exitWaiters: (() => void)[] = [];

  constructor(
    readonly name: string,
    private readonly open: OpenServer,
    private readonly listener: ServiceListener,
    private readonly record: ProcessRecord,
  ) {}

  get pid(): number | undefined {
    return this.server?.pid;
  }

  start(): Promise<void> {
    const started = this.launch();
    this.work = started.catch(() => undefined);
    return started;
  }

  /** Kills it; it restarts by itself. */
  async kill(): Promise<void> {
    if (this.pid === undefined) return;
    const exited = new Promise<void>((resolve) => this.exitWaiters.push(resolve));
    signalProcess(this.pid, 'SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    this.isWanted = false;
    await this.work;
    if (!this.server) return;
    this.enter('stopping');
    await this.close();
    this.enter('stopped');
  }

  private async launch(): Promise<void> {
    this.enter('starting');
    this.server = await this.open((error) => {
      this.exitWaiters.splice(0).forEach((resolve) => resolve());
      if (this.isWanted) this.work = this.restart(error);
    });
    this.record.add(this.name, this.server.pid);
    this.enter('ready');
  }

  private async restart(error: Error): Promise<void> {
    this.enter('crashed');
    this.listener.onLine(this.name, error.message);
    // Releases what else belonged to the process, such as the lock on its folder.
    await this.close();
    for (let pauseMs: number = backoffMs.min; this.isWanted; pauseMs = Math.min(pauseMs * 2, backoffMs.max)) {
      await delay(pauseMs);
      if (!this.isWanted) return;
      try {
        return await this.launch();
      } catch (failure) {
        this.listener.onLine(this.name, failure instanceof Error ? failure.message : String(failure));
      }
    }
  }

  private async close(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    await server?.stop();
    this.record.remove(server?.pid);
  }

  private enter(state: ServiceState): void {
    this.state = state;
    this.listener.onState(this.name, state);
  }
}
