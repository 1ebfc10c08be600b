import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AbuserOptions, AbuserReport, AbuserRequest } from './abuser.worker';

/** Attacks from a separate thread: responses that are expensive to receive must not delay the measured requests. */
export class AbusiveTenant {
  private constructor(
    private readonly worker: Worker,
    readonly patterns: readonly string[],
  ) {}

  /** Resolves once the tenant has the data that makes its requests expensive. */
  static async start(options: AbuserOptions, progress: (message: string) => void): Promise<AbusiveTenant> {
    const worker = new Worker(join(__dirname, 'abuser.worker.js'), { workerData: options });
    const patterns = await reported(worker, (report) => {
      if ('progress' in report) progress(report.progress);
      return 'patterns' in report ? report.patterns : undefined;
    });
    return new AbusiveTenant(worker, patterns);
  }

  begin(pattern: string): void {
    this.send({ begin: pattern });
  }

  /** Returns how many attacks succeeded since `begin`. */
  async end(): Promise<number> {
    this.send({ end: true });
    return reported(this.worker, (report) => ('attacks' in report ? report.attacks : undefined));
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  private send(request: AbuserRequest): void {
    this.worker.postMessage(request);
  }
}

/** Waits for the first report with a result. Rejects if the thread fails. */
async function reported<Result>(
  worker: Worker,
  resultOf: (report: AbuserReport) => Result | undefined,
): Promise<Result> {
  for (;;) {
    const [report] = (await once(worker, 'message')) as [AbuserReport];
    const result = resultOf(report);
    if (result !== undefined) return result;
  }
}
