import type { Progress } from '@florin/event-sourcing';
import { Worker } from 'node:worker_threads';
import type { Health } from '../health';
import type { FromProjector, ProjectionStatus, ProjectorSetting, ToProjector } from './projector-messages';

/** How long batches under way may take when the thread is told to stop. */
const patienceMs = 10_000;

export interface ProjectorThreadOptions extends ProjectorSetting {
  /** The file that calls `runProjectorThread`. */
  readonly file: string;
  readonly progress: Progress;
  readonly health: Health;
  readonly onLost: (error: Error) => void;
}

/**
 * Runs the projections on a thread of their own: they follow the log from the side, and whatever time they take is not
 * taken from the requests. They are connected to the rest by the database alone; the messages only save waiting.
 */
export class ProjectorThread {
  private readonly worker: Worker;
  private readonly ended: Promise<void>;
  private stopping = false;
  private reports: ((statuses: readonly ProjectionStatus[]) => void)[] = [];

  constructor({ file, progress, health, onLost, ...setting }: ProjectorThreadOptions) {
    this.worker = new Worker(file, { workerData: setting });
    // Not `once`, which would reject with an error of the thread: that is told to `onLost`, and the end is what counts here.
    this.ended = new Promise<void>((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.on('error', (error) => onLost(new Error('The projector thread failed', { cause: error })));
    this.worker.on('exit', () => {
      if (!this.stopping) onLost(new Error('The projector thread ended by itself'));
    });
    this.worker.on('message', (message: FromProjector) => {
      if (message.type === 'moved') {
        progress.report(message.subscription, message.shard, message.shardCount, message.position);
      } else if (message.type === 'left') {
        progress.forget(message.subscription, message.shard);
      } else if (message.type === 'report') {
        for (const answer of this.reports.splice(0)) answer(message.statuses);
      }
    });
    progress.onAwaited = () => this.tell({ type: 'hurry' });
    health.register('projections', () => this.check());
  }

  /** Ends after the batches under way. One that does not end is cut off: what it had not committed is done again later. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.tell({ type: 'stop' });
    const cutOff = setTimeout(() => void this.worker.terminate(), patienceMs);
    await this.ended;
    clearTimeout(cutOff);
  }

  /** A projection that has stopped makes the process unready, with the event that stopped it. */
  private async check(): Promise<true | string> {
    const statuses = await new Promise<readonly ProjectionStatus[]>((resolve) => {
      this.reports.push(resolve);
      this.tell({ type: 'report' });
    });
    const stopped = statuses.flatMap(({ name, status }) =>
      status.state === 'stopped' ? [`${name} ${status.reason}`] : [],
    );
    return stopped.length === 0 ? true : stopped.join('; ');
  }

  private tell(message: ToProjector): void {
    this.worker.postMessage(message);
  }
}
