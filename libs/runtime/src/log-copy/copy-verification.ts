import {
  beforeFirst,
  type ComparisonVisitor,
  HashChains,
  LogDigest,
  type LogEvidence,
  type LogState,
  type MissingEvents,
  type Position,
  type RecordedEvent,
} from '@florin/event-sourcing';
import type { CopySession } from './copy-session';

/** Verifies the source while both logs are compared, and collects what the switch needs. */
export class CopyVerification implements ComparisonVisitor {
  readonly chains = new HashChains();
  readonly missing: MissingEvents[] = [];
  private readonly digest = new LogDigest();
  private lastSource: Position = beforeFirst;
  private sources: Position[] = [];
  private targets: Position[] = [];

  constructor(
    private readonly session: CopySession,
    private readonly options: { readonly evidence: LogEvidence; readonly hasGaplessPositions: boolean },
  ) {}

  /** The state of the copied log, with the positions of the target. */
  get copiedState(): LogState {
    return this.digest.state;
  }

  get sourceHead(): Position {
    return this.lastSource;
  }

  source(event: RecordedEvent): void {
    const { position } = event;
    if (this.options.hasGaplessPositions && position > this.lastSource + 1n) {
      this.missing.push({ from: this.lastSource + 1n, to: position - 1n });
    }
    this.lastSource = position;
    this.options.evidence.add(event, this.chains.add(event));
  }

  target(event: RecordedEvent): void {
    this.digest.add(event);
  }

  pair(source: Position, target: Position): void {
    this.sources.push(source);
    this.targets.push(target);
  }

  async flush(): Promise<void> {
    const { sources, targets } = this;
    if (sources.length === 0) return;
    [this.sources, this.targets] = [[], []];
    await this.session.addPositions(sources, targets);
  }
}
