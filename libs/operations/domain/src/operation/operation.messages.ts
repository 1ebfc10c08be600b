import type { Command, DomainEvent, EventVersions, MoneyText } from '@florin/kernel';

export const operationTypes = ['issue', 'topup', 'service'] as const;
export type OperationType = (typeof operationTypes)[number];

export const operationStatuses = ['queued', 'processing', 'completed', 'failed', 'manual_review'] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** What was asked for and agreed on. It never changes, and travels inside the hold of the funds. */
export interface OperationOrder {
  readonly operationId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  /** The account that pays. */
  readonly accountId: string;
  readonly type: OperationType;
  readonly productId: string;
  readonly amount: MoneyText;
  readonly fee: MoneyText;
  /** What is held: amount and fee. */
  readonly total: MoneyText;
  /** Issue only. */
  readonly holderId?: string;
  /** Issue: the id that the card will have. Topup: the card. */
  readonly cardId?: string;
  /** Issue only: the name of the card. */
  readonly name?: string;
  /** Service only. */
  readonly recipient?: string;
  /** Tells a repeat of the same request from another request under the same id. */
  readonly fingerprint: string;
  readonly createdAt: string;
}

export interface OperationFailure {
  readonly code: string;
  readonly message: string;
}

/** What an issuer tells about an operation that it carried out. */
export interface IssuerDetails {
  readonly receipt?: string;
  readonly last4?: string;
  /** What the issuer calls the card. */
  readonly cardReference?: string;
}

/** What an issuer said, or that nobody can know what it did. */
export type IssuerAnswer =
  | ({ readonly outcome: 'accepted' } & IssuerDetails)
  | { readonly outcome: 'declined'; readonly code: string; readonly message: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** What became of a completed operation. */
export interface OperationResult {
  readonly cardId?: string;
  readonly receipt?: string;
}

type Of<Data = unknown> = Data & { readonly operationId: string };

/** The intent to call. Only whoever finds its own `callId` in the answer may call: so nobody calls twice. */
export interface IssuerCall {
  readonly callId: string;
  readonly deadline: string;
}

/** What is known at once of an operation that is new: that the issuer is to be called, or must not be. */
export type FirstStep = { readonly call: IssuerCall } | { readonly failure: OperationFailure };

/** The first step is taken only where the operation is new. Of one that was queued before, it says nothing. */
export type QueueOperation = Command<
  'QueueOperation',
  Of<{ readonly order: OperationOrder; readonly firstStep?: FirstStep }>
>;
export type StartIssuerCall = Command<'StartIssuerCall', Of<IssuerCall>>;
/** Ends an operation that must not be sent to the issuer any more, such as a topup of a card frozen meanwhile. */
export type DeclineUncalled = Command<'DeclineUncalled', Of<{ readonly failure: OperationFailure }>>;
export type RecordIssuerAnswer = Command<
  'RecordIssuerAnswer',
  Of<{ readonly callId: string; readonly answer: IssuerAnswer; readonly answeredAt: string }>
>;
/** The call's deadline has passed and no answer was recorded: whoever made the call is gone. */
export type AbandonIssuerCall = Command<'AbandonIssuerCall', Of<{ readonly now: string }>>;
/** What the issuer told on its own account, by callback. It is shown to operators, and moves nothing. */
export type NoteLateAnswer = Command<
  'NoteLateAnswer',
  Of<{
    readonly noteId: string;
    readonly companyId: string;
    readonly amount: MoneyText;
    readonly answer: IssuerAnswer;
    readonly notedAt: string;
  }>
>;
export type ReviewOutcome = 'completed' | 'failed';
export type ResolveReview = Command<
  'ResolveReview',
  /** The details are what the operator learned; a live issue cannot be completed without the card's last digits. */
  Of<IssuerDetails & { readonly outcome: ReviewOutcome; readonly note: string }>
>;
/** Follow the capture and the release of the hold. */
export type CompleteOperation = Command<'CompleteOperation', Of>;
export type FailOperation = Command<'FailOperation', Of>;

export type OperationCommand =
  | QueueOperation
  | StartIssuerCall
  | DeclineUncalled
  | RecordIssuerAnswer
  | AbandonIssuerCall
  | NoteLateAnswer
  | ResolveReview
  | CompleteOperation
  | FailOperation;

export const operationCommandTypes = [
  'QueueOperation',
  'StartIssuerCall',
  'DeclineUncalled',
  'RecordIssuerAnswer',
  'AbandonIssuerCall',
  'NoteLateAnswer',
  'ResolveReview',
  'CompleteOperation',
  'FailOperation',
] as const satisfies readonly OperationCommand['type'][];

export type OperationQueued = DomainEvent<'OperationQueued', Of<{ readonly order: OperationOrder }>>;
export type IssuerCallStarted = DomainEvent<'IssuerCallStarted', Of<IssuerCall>>;
/** An issue always has the card's last digits. */
export type IssuerAccepted = DomainEvent<'IssuerAccepted', Of<IssuerDetails>>;
/** By the issuer, or by us before it was called. */
export type OperationDeclined = DomainEvent<'OperationDeclined', Of<{ readonly failure: OperationFailure }>>;
export type OperationSentToReview = DomainEvent<'OperationSentToReview', Of<{ readonly reason: string }>>;
export type LateAnswerNoted = DomainEvent<
  'LateAnswerNoted',
  Of<{
    readonly noteId: string;
    readonly answer: IssuerAnswer;
    /** Whether company and amount are the operation's own; a mismatch is a warning to the operator. */
    readonly matches: boolean;
    readonly notedAt: string;
  }>
>;
/** The details are those the operation goes on with, whether the operator gave them or the issuer told them late. */
export type ReviewResolved = DomainEvent<'ReviewResolved', ResolveReview['data']>;
export type OperationCompleted = DomainEvent<'OperationCompleted', Of<{ readonly result: OperationResult }>>;
export type OperationFailed = DomainEvent<'OperationFailed', Of<{ readonly failure: OperationFailure }>>;
/** Funds were held for an operation that had ended: possible only when a repeat overtook all bounds. They are released. */
export type StrayHoldFound = DomainEvent<
  'StrayHoldFound',
  /** When the order in the hold was made. Events from before it was told have none. */
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

export const operationEventVersions: EventVersions<OperationEvent> = {
  OperationQueued: [],
  IssuerCallStarted: [],
  IssuerAccepted: [],
  OperationDeclined: [],
  OperationSentToReview: [],
  LateAnswerNoted: [],
  ReviewResolved: [],
  OperationCompleted: [],
  OperationFailed: [],
  StrayHoldFound: [],
};

export type OperationRefusal =
  | 'idempotency_conflict'
  | 'operation_unknown'
  /** The operation is past the point where this could happen. */
  | 'wrong_phase'
  /** It was resolved the other way. */
  | 'review_resolved'
  | 'card_details_missing';
