/**
 * Lets many callers share one read of the same key. Who must see every write acknowledged before the call may not join
 * a read that is already running, since it may have looked too early: all of these share the next one.
 */
export class SharedReads<Value> {
  private readonly running = new Map<string, Promise<Value>>();
  private readonly following = new Map<string, Promise<Value>>();

  constructor(private readonly read: (key: string) => Promise<Value>) {}

  /** The result may rest on a read that began before this call. */
  join(key: string): Promise<Value> {
    return this.running.get(key) ?? this.start(key);
  }

  /** The result rests on a read that begins after this call. */
  next(key: string): Promise<Value> {
    const running = this.running.get(key);
    if (running === undefined) return this.start(key);
    const waiting = this.following.get(key);
    if (waiting !== undefined) return waiting;
    const afterwards = (): Promise<Value> => {
      this.following.delete(key);
      return this.start(key);
    };
    const following = running.then(afterwards, afterwards);
    this.following.set(key, following);
    return following;
  }

  private start(key: string): Promise<Value> {
    const reading = this.read(key).finally(() => this.running.delete(key));
    this.running.set(key, reading);
    return reading;
  }
}
