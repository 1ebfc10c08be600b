import { categoryOf, eventCodec, type EventCodec, type RecordedEvent } from '@florin/event-sourcing';
import { invoiceAggregate, type InvoiceEvent, invoiceEventVersions } from '@florin/invoicing-domain';
import { assert, type DomainEvent } from '@florin/kernel';
import {
  cardAggregate,
  cardEventVersions,
  holderAggregate,
  holderEventVersions,
  operationAggregate,
  type OperationEvent,
  operationEventVersions,
} from '@florin/operations-domain';
import { endpointAggregate, type EndpointEvent, endpointEventVersions } from '@florin/webhooks-domain';
import {
  type AffectedObject,
  affectedByCard,
  affectedByEndpoint,
  affectedByHolder,
  affectedByInvoice,
  affectedByOperation,
} from './affected-objects';

/** An event of the log with its objects and effects. */
export interface SourceEvent {
  readonly id: string;
  readonly revision: number;
  readonly position: bigint;
  readonly recordedAt: string;
  readonly affected: readonly AffectedObject[];
  /** Set for events of webhook endpoints. */
  readonly endpointEvent?: EndpointEvent;
  /** The holder whose personal data must be removed. */
  readonly erasedHolder?: string;
}

type Meaning = Pick<SourceEvent, 'affected' | 'endpointEvent' | 'erasedHolder'>;
type Reader = (recorded: RecordedEvent) => Meaning & Pick<SourceEvent, 'recordedAt'>;

function reader<Event extends DomainEvent<string, unknown>>(
  codec: EventCodec<Event>,
  meaningOf: (event: Event, recordedAt: string) => Meaning,
): Reader {
  return (recorded) => {
    const { event, metadata } = codec.decode(recorded);
    const { recordedAt } = metadata;
    return { recordedAt, ...meaningOf(event, recordedAt) };
  };
}

const readers = new Map<string, Reader>([
  [
    operationAggregate.category,
    reader(eventCodec(operationEventVersions), (event, recordedAt) => ({
      affected: affectedByOperation(event, recordedAt),
    })),
  ],
  [
    cardAggregate.category,
    reader(eventCodec(cardEventVersions), (event, recordedAt) => ({ affected: affectedByCard(event, recordedAt) })),
  ],
  [
    holderAggregate.category,
    reader(eventCodec(holderEventVersions), (event, recordedAt) => ({
      affected: affectedByHolder(event, recordedAt),
      ...(event.type === 'HolderErased' && { erasedHolder: event.data.holderId }),
    })),
  ],
  [
    invoiceAggregate.category,
    reader(eventCodec(invoiceEventVersions), (event) => ({ affected: affectedByInvoice(event) })),
  ],
  [
    endpointAggregate.category,
    reader(eventCodec(endpointEventVersions), (endpointEvent) => ({
      affected: affectedByEndpoint(endpointEvent),
      endpointEvent,
    })),
  ],
]);

export const sourceCategories: readonly string[] = [...readers.keys()];

const unpublishedOperationEvents: readonly OperationEvent['type'][] = [
  ...(['IssuerCallStarted', 'IssuerAccepted', 'OperationDeclined'] as const),
  ...(['LateAnswerNoted', 'ReviewResolved', 'StrayHoldFound'] as const),
];
const unpublishedInvoiceEvents: readonly InvoiceEvent['type'][] = [
  ...(['InvoiceOpened', 'InvoicePaid', 'InvoiceCanceled'] as const),
  ...(['PaymentLeftOver', 'InvoiceResolved', 'InvoiceRecalled'] as const),
];
const unpublished: ReadonlySet<string> = new Set([...unpublishedOperationEvents, ...unpublishedInvoiceEvents]);

/** Whether the event can be published. The others are frequent and are not even decoded. */
export function isPublished({ type }: RecordedEvent): boolean {
  return !unpublished.has(type);
}

export function sourceEvent(recorded: RecordedEvent): SourceEvent {
  const read = readers.get(categoryOf(recorded.stream));
  assert(read !== undefined, () => `stream ${recorded.stream} has a known category`);
  const { id, revision, position } = recorded;
  return { id, revision, position, ...read(recorded) };
}
