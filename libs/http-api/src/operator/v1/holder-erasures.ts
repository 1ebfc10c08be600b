import {
  EVENT_STORE,
  eventCodec,
  type EventStore,
  HashChains,
  metadataOf,
  type RecordedEvent,
} from '@florin/event-sourcing';
import type { Actor } from '@florin/kernel';
import { HOLDER_VAULT, holderAggregate, holderEventVersions, type HolderVault } from '@florin/operations-domain';
import { Inject, Injectable } from '@nestjs/common';

const codec = eventCodec(holderEventVersions);

/** What an erasure destroyed, and what proves it. */
export interface ErasureCertificate {
  readonly erasedAt: string;
  readonly erasedBy: Actor | null;
  /** Sealed texts in the log, and how many of them the vault can still open. */
  readonly sealedTexts: number;
  readonly readableTexts: number;
  readonly event: Pick<RecordedEvent, 'id' | 'stream' | 'revision'> & {
    readonly position: string;
    readonly hash: string;
  };
  /** The stream of the account's holders, from its first event. */
  readonly hashChain: { readonly events: number; readonly isValid: boolean };
}

/** Certifies from the log and the vault that the personal data of a holder can no longer be read. */
@Injectable()
export class HolderErasures {
  constructor(
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    @Inject(HOLDER_VAULT) private readonly vault: Pick<HolderVault, 'unseal'>,
  ) {}

  /** Undefined if the holder is not erased. */
  async certificate(accountId: string, holderId: string): Promise<ErasureCertificate | undefined> {
    const chains = new HashChains();
    const sealed: string[] = [];
    let events = 0;
    let erasure: RecordedEvent | undefined;
    for await (const page of this.store.readStream(`${holderAggregate.category}-${accountId}`)) {
      for (const recorded of page) {
        events += 1;
        chains.add(recorded);
        const { type, data } = codec.decode(recorded).event;
        if (data.holderId !== holderId) continue;
        if (type === 'HolderErased') erasure ??= recorded;
        else sealed.push(...sealedTexts(data));
      }
    }
    if (erasure === undefined) return undefined;
    const opened = await Promise.all(sealed.map((text) => this.vault.unseal(holderId, text)));
    const { id, stream, revision, position } = erasure;
    const { recordedAt, actor, hash } = metadataOf(erasure);
    return {
      erasedAt: recordedAt,
      erasedBy: actor ?? null,
      sealedTexts: sealed.length,
      readableTexts: opened.filter((text) => text !== undefined).length,
      event: { id, stream, revision, position: String(position), hash },
      hashChain: { events, isValid: chains.broken.length === 0 },
    };
  }
}

const sealedMembers = ['sealed', 'sealedName', 'sealedEmail', 'sealedMetadata'] as const;

function sealedTexts(data: object): readonly string[] {
  const texts = data as Readonly<Partial<Record<(typeof sealedMembers)[number], string>>>;
  return sealedMembers.flatMap((member) => texts[member] ?? []);
}
