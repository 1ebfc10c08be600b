import { categoryOf, eventCodec, metadataOf, type RecordedEvent, UnreadableEvent } from '@florin/event-sourcing';
import {
  type AddressEvent,
  addressEventVersions,
  type InvoiceEvent,
  invoiceEventVersions,
} from '@florin/invoicing-domain';
import type { Actor } from '@florin/kernel';
import { type AccountEvent, accountEventVersions } from '@florin/ledger-domain';
import {
  type CardEvent,
  cardEventVersions,
  type OperationEvent,
  operationEventVersions,
} from '@florin/operations-domain';

/** All event types that an explanation can contain. */
export type ExplainedEvent = AccountEvent | OperationEvent | CardEvent | InvoiceEvent | AddressEvent;

/** An event of the log, decoded. */
export interface LoggedEvent {
  /** The id of the event itself. */
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: bigint;
  readonly type: string;
  readonly recordedAt: string;
  /** Absent in events of early releases. */
  readonly actor?: Actor;
  /** Undefined if a newer release has written it. */
  readonly event: ExplainedEvent | undefined;
}

interface Decoder {
  decode(recorded: RecordedEvent): { readonly event: ExplainedEvent };
}

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['account', eventCodec(accountEventVersions)],
  ['operation', eventCodec(operationEventVersions)],
  ['card', eventCodec(cardEventVersions)],
  ['invoices', eventCodec(invoiceEventVersions)],
  ['address', eventCodec(addressEventVersions)],
]);

export function loggedEvent(recorded: RecordedEvent): LoggedEvent {
  const { id, stream, revision, position, type } = recorded;
  const { recordedAt, actor } = metadataOf(recorded);
  return { id, stream, revision, position, type, recordedAt, actor, event: decode(recorded) };
}

function decode(recorded: RecordedEvent): ExplainedEvent | undefined {
  try {
    return decoders.get(categoryOf(recorded.stream))?.decode(recorded).event;
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
}
