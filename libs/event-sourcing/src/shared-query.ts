/** A query whose concurrent callers share one execution, provided that it starts after their call. */
export class SharedQuery<Result> {
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<Result> | undefined;

  constructor(private readonly query: () => Promise<Result>) {}

  execute(): Promise<Result> {
    this.next ??= this.running.then(() => {
      const result = this.query();
      this.next = undefined;
      this.running = result.catch(() => undefined);
      return result;
    });
    return this.next;
  }
}
