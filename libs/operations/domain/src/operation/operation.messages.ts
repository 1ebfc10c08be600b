import {
  type Command,
  type DomainEvent,
  type EventVersions,
  type Metadata,
  type MoneyText,
  type OperatorDecision,
  type Upcaster,
  withoutOperators,
} from '@florin/kernel';

export const operationTypes = ['issue', 'topup', 'service', 'unload'] as const;
export type OperationType = (typeof operationTypes)[number];
/** The types that products offer. An unload returns money, is of the card's product and has no fee. */
export type PricedType = Exclude<OperationType, 'unload'>;

export const operationStatuses = ['queued', 'processing', 'completed', 'failed', 'manual_review'] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** The accepted request with its price. It never changes, and the reservation of its funds carries it: for an unload, on the card. */
export interface Order {
  readonly operationId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  /** The account that pays, or gets the money of an unload. */
  readonly accountId: string;
  readonly type: OperationType;
  readonly productId: string;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  /** The reserved funds: amount + fee. */
  readonly total: MoneyText;
  /** Issue only. */
  readonly holderId?: string;
  /** Issue: the id of the card to be issued. Topup and unload: the card. */
  readonly cardId?: string;
  /** Unload only: the card numbers its unloads, and the ledger credits each number once. */
  readonly unloadNumber?: number;
  /** Issue only: the name of the card. */
  readonly name?: string;
  /** Service only. */
  readonly recipient?: string;
  readonly metadata?: Metadata;
  /** Distinguishes a repeated request from a different request with the same id. */
  readonly fingerprint: string;
  readonly createdAt: string;
}

export interface OperationFailure {
  readonly code: string;
  readonly message: string;
}

/** What an issuer reports about an executed operation. */
export interface IssuerDetails {
  readonly receipt?: string;
  readonly last4?: string;
  /** The issuer's id of the card. */
  readonly cardReference?: string;
  /** `pending` if the issuer activates the card later. Absent if it is active. */
  readonly cardStatus?: 'pending' | 'active';
}

/** The issuer's response. `unknown` means that the outcome could not be determined. */
export type IssuerResponse =
  | ({ readonly outcome: 'accepted' } & IssuerDetails)
  | { readonly outcome: 'declined'; readonly code: string; readonly message: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

export interface OperationResult {
  readonly cardId?: string;
  readonly receipt?: string;
}

type Of<Data = unknown> = Data & { readonly operationId: string };

/** The intent to call. Only the process that finds its own `callId` stored makes the call, so there is at most one. */
export interface IssuerCall {
  readonly callId: string;
  readonly deadline: string;
}

/** The first step of a new operation: call the issuer, or fail without a call. */
export type FirstStep = { readonly call: IssuerCall } | { readonly failure: OperationFailure };

/** The first step applies only to a new operation. */
export type QueueOperation = Command<'QueueOperation', Of<{ readonly order: Order; readonly firstStep?: FirstStep }>>;
export type StartIssuerCall = Command<'StartIssuerCall', Of<IssuerCall>>;
/** Declines an operation before the issuer is called, such as a topup of a card that was frozen meanwhile. */
export type DeclineUncalled = Command<'DeclineUncalled', Of<{ readonly failure: OperationFailure }>>;
export type RecordIssuerResponse = Command<
  'RecordIssuerResponse',
  Of<{ readonly callId: string; readonly response: IssuerResponse; readonly respondedAt: string }>
>;
/** The deadline has passed without a recorded response: the process that made the call has ended. */
export type AbandonIssuerCall = Command<'AbandonIssuerCall', Of<{ readonly now: string }>>;
/** A response that the issuer sent by callback. Operators see it; it does not advance the operation. */
export type NoteLateResponse = Command<
  'NoteLateResponse',
  Of<{
    readonly noteId: string;
    readonly companyId: string;
    readonly amount: MoneyText;
    readonly response: IssuerResponse;
    readonly notedAt: string;
  }>
>;
export type ReviewOutcome = 'completed' | 'failed';
/** With details from the operator. A live issue cannot be completed without the card's last digits. */
type Resolution = IssuerDetails & { readonly outcome: ReviewOutcome; readonly note: string };
/** From the four-eyes amount on, two operators decide to complete an operation. */
export type ResolveReview = Command<'ResolveReview', Of<Resolution & OperatorDecision>>;
/** Follow the capture or the release of the reservation. */
export type CompleteOperation = Command<'CompleteOperation', Of>;
export type FailOperation = Command<'FailOperation', Of>;

export type OperationCommand =
  | QueueOperation
  | StartIssuerCall
  | DeclineUncalled
  | RecordIssuerResponse
  | AbandonIssuerCall
  | NoteLateResponse
  | ResolveReview
  | CompleteOperation
  | FailOperation;

export const operationCommandTypes = [
  'QueueOperation',
  'StartIssuerCall',
  'DeclineUncalled',
  'RecordIssuerResponse',
  'AbandonIssuerCall',
  'NoteLateResponse',
  'ResolveReview',
  'CompleteOperation',
  'FailOperation',
] as const satisfies readonly OperationCommand['type'][];

export type OperationQueued = DomainEvent<'OperationQueued', Of<{ readonly order: Order }>>;
export type IssuerCallStarted = DomainEvent<'IssuerCallStarted', Of<IssuerCall>>;
/** `last4` is always present for an issue. */
export type IssuerAccepted = DomainEvent<'IssuerAccepted', Of<IssuerDetails>>;
/** By the issuer, or before it was called. */
export type OperationDeclined = DomainEvent<'OperationDeclined', Of<{ readonly failure: OperationFailure }>>;
export type OperationSentToReview = DomainEvent<'OperationSentToReview', Of<{ readonly reason: string }>>;
export type LateAnswerNoted = DomainEvent<
  'LateAnswerNoted',
  Of<{
    readonly noteId: string;
    readonly answer: IssuerResponse;
    /** Whether company and amount match the operation; a mismatch warns the operator. */
    readonly matches: boolean;
    readonly notedAt: string;
  }>
>;
/**
 * With the details that the operation continues with, from the operator or from a late response. Events of early releases do
 * not name the operators.
 */
export type ReviewResolved = DomainEvent<'ReviewResolved', Of<Resolution & Partial<OperatorDecision>>>;
export type OperationCompleted = DomainEvent<'OperationCompleted', Of<{ readonly result: OperationResult }>>;
export type OperationFailed = DomainEvent<'OperationFailed', Of<{ readonly failure: OperationFailure }>>;
/** A reservation for an operation that has ended was found, and is released. See order-reservation.ts. */
export type StrayHoldFound = DomainEvent<
  'StrayHoldFound',
  /** When the order in the reservation was created. Absent in events of early releases. */
  Of<{ readonly createdAt?: string }>
>;

export type OperationEvent =
  | OperationQueued
  | IssuerCallStarted
  | IssuerAccepted
  | OperationDeclined
  | OperationSentToReview
  | LateAnswerNoted
  | ReviewResolved
  | OperationCompleted
  | OperationFailed
  | StrayHoldFound;

/** The type `unload`, its number and metadata were added to the order. */
const withShorterOrder: Upcaster = (data) => data;

/** Every card was active from the start. */
const withoutCardStatus: Upcaster = (data) => data;

export const operationEventVersions: EventVersions<OperationEvent> = {
  OperationQueued: [withShorterOrder],
  IssuerCallStarted: [],
  IssuerAccepted: [withoutCardStatus],
  OperationDeclined: [],
  OperationSentToReview: [],
  LateAnswerNoted: [withoutCardStatus],
  ReviewResolved: [withoutOperators, withoutCardStatus],
  OperationCompleted: [],
  OperationFailed: [],
  StrayHoldFound: [],
};

export type OperationRefusal =
  | 'idempotency_conflict'
  | 'operation_unknown'
  /** Not possible in the current phase of the operation. */
  | 'wrong_phase'
  /** Resolved with the opposite outcome. */
  | 'review_resolved'
  | 'card_details_missing'
  /** It takes two different operators to complete an operation of this amount. */
  | 'not_four_eyes';
