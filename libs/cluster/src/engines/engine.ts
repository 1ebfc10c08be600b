import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessRecord } from '../process-record';
import { signalProcess } from '../running-process';
import type { ServiceListener, ServiceState } from '../service-process';

export interface EngineServer {
  readonly pid: number;
  stop(): Promise<void>;
}

export type OpenEngine = (onLost: (error: Error) => void) => Promise<EngineServer>;

const backoffMs = { first: 200, longest: 10_000 } as const;

/** A server that the services stand on: started before them, ended after them, and started anew when it ends unasked. */
export class Engine {
  state: ServiceState = 'stopped';
  private server: EngineServer | undefined;
  private isWanted = true;
  /** What is under way with the server right now. */
  private work: Promise<unknown> = Promise.resolve();
  private readonly awaitingTheEnd: (() => void)[] = [];

  constructor(
    readonly name: string,
    private readonly open: OpenEngine,
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

  /** Ends it at once; it comes back by itself. */
  async kill(): Promise<void> {
    if (this.pid === undefined) return;
    const ended = new Promise<void>((resolve) => this.awaitingTheEnd.push(resolve));
    signalProcess(this.pid, 'SIGKILL');
    await ended;
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
      this.awaitingTheEnd.splice(0).forEach((resolve) => resolve());
      if (this.isWanted) this.work = this.comeBack(error);
    });
    this.record.add(this.name, this.server.pid);
    this.enter('ready');
  }

  private async comeBack(error: Error): Promise<void> {
    this.enter('crashed');
    this.listener.onLine(this.name, error.message);
    // Its process is gone; this lets go of what else belonged to it, such as the lock on its folder.
    await this.close();
    for (let pauseMs: number = backoffMs.first; this.isWanted; pauseMs = Math.min(pauseMs * 2, backoffMs.longest)) {
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
