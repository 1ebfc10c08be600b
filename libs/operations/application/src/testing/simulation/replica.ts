import { CommandHandler, type CommandMessage } from '@florin/event-sourcing';
import { type Routes, routesOf, type SimulatedEnvironment, SimulatedReplica } from '@florin/event-sourcing/testing';
import type { Clock } from '@florin/kernel';
import {
  accountAggregate,
  type AccountCommand,
  accountCommandTypes,
  type CreateReservations,
  findReservation,
  type FindReservation,
  reservationsIn,
} from '@florin/ledger-domain';
import {
  type CardCommand,
  cardCommandTypes,
  type HolderCommand,
  holderCommandTypes,
  type HolderVault,
  type OperationCommand,
  operationCommandTypes,
  type ProductCommand,
  productCommandTypes,
} from '@florin/operations-domain';
import { AdvanceOperationHandler } from '../../advance-operation';
import { Cards, Holders, Operations, Products, Quotes, Transactions } from '../../aggregates';
import { CardController } from '../../card.controller';
import { HolderController } from '../../holder.controller';
import { IssuerCalls } from '../../issuer-calls';
import { IssuerRequests } from '../../issuer-requests';
import type { Issuer } from '../../issuer.port';
import { OperationController } from '../../operation.controller';
import type { OperationsOptions } from '../../operations-options';
import { operationsProcess } from '../../operations.process';
import { OperationsWatchdog } from '../../operations.watchdog';
import { OrderReservations } from '../../order-reservations';
import { AdmissionControl } from '../../admission-control';
import { ProductController } from '../../product.controller';
import { QuoteOperationHandler } from '../../quote-operation';
import { RecordTransactionHandler } from '../../record-transaction';
import { RequestChecks } from '../../request-checks';
import { RequestOperationHandler } from '../../request-operation';
import { RequestOperationsHandler } from '../../request-operations';
import { RevealCardHandler } from '../../reveal-card';
import { UnloadReservations } from '../../unload-reservations';
import { TransactionController } from '../../transaction.controller';
import type { UnfinishedOperations } from '../../unfinished-operations.port';

export interface ReplicaEnvironment extends SimulatedEnvironment {
  readonly clock: Clock;
  readonly issuer: Issuer;
  readonly vault: HolderVault;
  readonly unfinished: UnfinishedOperations;
  readonly options: OperationsOptions;
}

/** Operations and the ledger in one process. */
export class Replica extends SimulatedReplica {
  readonly calls: IssuerCalls;
  readonly watchdog: OperationsWatchdog;

  constructor(environment: ReplicaEnvironment) {
    super(environment);
    const { clock, options, unfinished } = environment;
    this.handleCommands('ledger', ledger(environment));
    const operations = this.operations(environment);
    this.handleCommands('operations', operations.routes);
    this.calls = operations.calls;
    this.watchdog = new OperationsWatchdog(unfinished, this.bus, clock, options);
    this.runProcess(operationsProcess, options.log);
  }

  private operations(environment: ReplicaEnvironment): { routes: Routes; calls: IssuerCalls } {
    const { store, snapshots, clock, issuer, vault, options } = environment;
    const operations = new Operations(store, clock);
    const cards = new Cards(store, clock, snapshots);
    const holders = new Holders(store, clock, snapshots);
    const products = new Products(store, clock);
    const transactions = new Transactions(store, clock);
    const checks = new RequestChecks(operations, products, holders, cards, options);
    const orders = new IssuerRequests(cards, holders, vault);
    const calls = new IssuerCalls({ sandbox: issuer }, orders, operations, clock, options);
    const reservations = new OrderReservations(operations, this.bus);
    const unloads = new UnloadReservations(cards, operations);
    const requests = new RequestOperationHandler(checks, reservations, unloads, clock, options);
    const bulk = new RequestOperationsHandler(requests, reservations, options);
    const admission = new AdmissionControl(clock, options);
    const advances = new AdvanceOperationHandler(operations, cards, calls, this.bus, clock, admission, options);
    const quotes = new QuoteOperationHandler(checks, new Quotes(store, clock));
    const operation = new OperationController(operations, requests, bulk, quotes, advances, admission);
    const card = new CardController(cards, new RevealCardHandler(cards, { sandbox: issuer }, options));
    const holder = new HolderController(holders, vault);
    const product = new ProductController(products);
    const transaction = new TransactionController(new RecordTransactionHandler(transactions, cards));
    const routes: Routes = {
      RequestOperation: (message) => operation.request(message),
      RequestOperations: (message) => operation.requestAll(message),
      QuoteOperation: (message) => operation.quote(message),
      AdvanceOperation: (message) => operation.advance(message),
      RecordTransaction: (message) => transaction.record(message),
      RevealCard: (message) => card.reveal(message),
      ...routesOf(operationCommandTypes, (message: CommandMessage<OperationCommand>) => operation.handle(message)),
      QueueOperation: (message) => operation.queue(message),
      ...routesOf(cardCommandTypes, (message: CommandMessage<CardCommand>) => card.handle(message)),
      ...routesOf(holderCommandTypes, (message: CommandMessage<HolderCommand>) => holder.handle(message)),
      ...routesOf(productCommandTypes, (message: CommandMessage<ProductCommand>) => product.handle(message)),
    };
    return { routes, calls };
  }
}

function ledger({ store, snapshots, clock }: ReplicaEnvironment): Routes {
  const accounts = new CommandHandler(accountAggregate, { store, snapshots, clock });
  return {
    ...routesOf(accountCommandTypes, (message: CommandMessage<AccountCommand>) =>
      accounts.handle(message.command.data.accountId, message.command, message),
    ),
    CreateReservations: async (message: CommandMessage<CreateReservations>) => {
      const { accountId } = message.command.data;
      const answer = await accounts.handleAll(accountId, reservationsIn(message.command), message);
      return { ok: true, repeated: false, answer };
    },
    FindReservation: async ({ command }: CommandMessage<FindReservation>) => {
      const { accountId, reservationId } = command.data;
      const answer = await accounts.read(accountId, 0, (state) => findReservation(state, reservationId));
      return { ok: true, repeated: false, answer };
    },
  };
}
