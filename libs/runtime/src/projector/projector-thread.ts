import { problemOf, type Progress } from '@florin/event-sourcing';
import { Worker } from 'node:worker_threads';
import type { Health } from '../health';
import type { FromProjector, ProjectionStatus, ProjectorSetting, ToProjector } from './projector-messages';

/** How long batches in progress may take during a shutdown. */
const stopTimeoutMs = 10_000;

export interface ProjectorThreadOptions extends ProjectorSetting {
  /** The file that calls `runProjectorThread`. */
  readonly file: string;
  readonly progress: Progress;
  readonly health: Health;
  readonly onLost: (error: Error) => void;
}

/**
 * Runs the projections on a separate thread, so that they do not slow down requests. Both threads share only the database;
 * the messages just shorten waiting times.
 */
export class ProjectorThread {
  private readonly worker: Worker;
  private readonly ended: Promise<void>;
  private stopping = false;
  private reports: ((statuses: readonly ProjectionStatus[]) => void)[] = [];

  constructor({ file, progress, health, onLost, ...setting }: ProjectorThreadOptions) {
    this.worker = new Worker(file, { workerData: setting });
    // Not `events.once`, which rejects on an error of the thread: `onLost` gets that error, and this only awaits the end.
    this.ended = new Promise<void>((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.on('error', (error) => onLost(new Error('The projector thread failed', { cause: error })));
    this.worker.on('exit', () => {
      if (!this.stopping) onLost(new Error('The projector thread ended unexpectedly'));
    });
    this.worker.on('message', (message: FromProjector) => {
      if (message.type === 'moved') {
        progress.report(message.subscription, message.shard, message.shardCount, message.position);
      } else if (message.type === 'set-aside') {
        progress.reportSetAside(message.subscription, message.shard, message.streams);
      } else if (message.type === 'left') {
        progress.forget(message.subscription, message.shard);
      } else if (message.type === 'report') {
        for (const resolve of this.reports.splice(0)) resolve(message.statuses);
      }
    });
    progress.onAwaited = (subscription) => this.send({ type: 'hurry', subscription });
    health.register('projections', () => this.check());
  }

  /** Ends after the batches in progress. A batch that takes too long is aborted and runs again after the next start. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.send({ type: 'stop' });
    const cutOff = setTimeout(() => void this.worker.terminate(), stopTimeoutMs);
    await this.ended;
    clearTimeout(cutOff);
  }

  /** A projection that has stopped or keeps failing makes the service unready and reports the reason. */
  private async check(): Promise<true | string> {
    const statuses = await new Promise<readonly ProjectionStatus[]>((resolve) => {
      this.reports.push(resolve);
      this.send({ type: 'report' });
    });
    const problems = statuses.flatMap(({ name, status }) => {
      const problem = problemOf(status);
      return problem === undefined ? [] : [`${name} ${problem}`];
    });
    return problems.length === 0 ? true : problems.join('; ');
  }

  private send(message: ToProjector): void {
    this.worker.postMessage(message);
  }
}
