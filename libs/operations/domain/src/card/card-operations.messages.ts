import type { Command, DomainEvent, MoneyText } from '@florin/kernel';
import type { Order } from '../operation/operation.messages';

/*
 * How operations that top up and unload a card change it. The union of all commands and events is in card.messages.ts.
 */

type Of<Data = unknown> = Data & { readonly cardId: string; readonly operationId: string };

/** Refused unless the card is active. Sent right before the issuer call. */
export type StartTopup = Command<'StartTopup', Of<{ readonly amount: MoneyText }>>;
export type TopUpCard = Command<'TopUpCard', Of<{ readonly amount: MoneyText }>>;
/** The operation is declined. */
export type CancelTopup = Command<'CancelTopup', Of>;

/** An unload is accepted once its amount is reserved on the card. The event carries the order with its number. */
export type ReserveUnload = Command<
  'ReserveUnload',
  Of<{
    readonly accountId: string;
    readonly amount: MoneyText;
    readonly order: Order;
    readonly requestedAt: string;
  }>
>;
export type CaptureUnload = Command<'CaptureUnload', Of>;
export type ReleaseUnload = Command<'ReleaseUnload', Of>;

export type CardOperationCommand = StartTopup | TopUpCard | CancelTopup | ReserveUnload | CaptureUnload | ReleaseUnload;

type Changed<Data = unknown> = Of<Data & { readonly companyId: string; readonly environment: 'sandbox' | 'live' }>;

interface Moved {
  readonly amount: MoneyText;
  readonly after: { readonly balance: MoneyText; readonly available: MoneyText };
}

export type TopupStarted = DomainEvent<'TopupStarted', Changed<{ readonly amount: MoneyText }>>;
export type TopupCanceled = DomainEvent<'TopupCanceled', Changed>;

/** The order has the number of the unload. */
export type UnloadReserved = DomainEvent<'UnloadReserved', Changed<Moved & { readonly order: Order }>>;
export type CardUnloaded = DomainEvent<'CardUnloaded', Changed<Moved & { readonly unloadNumber: number }>>;
export type UnloadReleased = DomainEvent<'UnloadReleased', Changed<Moved>>;

/** `CardToppedUp` is older and has versions; it is in card.messages.ts. */
export type CardOperationEvent = TopupStarted | TopupCanceled | UnloadReserved | CardUnloaded | UnloadReleased;

export type CardOperationRefusal =
  /** The id is in use with different data. */
  | 'idempotency_conflict'
  | 'insufficient_card_balance'
  | 'topup_canceled'
  | 'unload_unknown'
  | 'unload_captured'
  | 'unload_released';
