import { ApiClient } from './api-client';
import type { Environment, FlorinOptions } from './options';
import { BalanceResource } from './resources/balance';
import { Cards } from './resources/cards';
import { Events } from './resources/events';
import { Holders } from './resources/holders';
import { Invoices } from './resources/invoices';
import { Operations } from './resources/operations';
import { Products } from './resources/products';
import { Quotes } from './resources/quotes';
import { Sandbox } from './resources/sandbox';
import { Statements } from './resources/statements';
import { Transactions } from './resources/transactions';
import { WebhookEndpoints } from './resources/webhook-endpoints';
import { webhooks } from './webhooks';

/** A client of the Florin API with the key of one company and environment. */
export class Florin {
  /** The environment of the key. */
  readonly environment: Environment;
  readonly baseUrl: string;

  readonly balance: BalanceResource;
  readonly cards: Cards;
  readonly events: Events;
  readonly holders: Holders;
  readonly invoices: Invoices;
  readonly operations: Operations;
  readonly products: Products;
  readonly quotes: Quotes;
  /** Only for keys of the sandbox. */
  readonly sandbox: Sandbox;
  readonly statements: Statements;
  readonly transactions: Transactions;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly webhooks = webhooks;

  constructor(options: FlorinOptions) {
    const api = new ApiClient(options);
    this.environment = api.environment;
    this.baseUrl = api.baseUrl;
    this.balance = new BalanceResource(api);
    this.cards = new Cards(api);
    this.events = new Events(api);
    this.holders = new Holders(api);
    this.invoices = new Invoices(api);
    this.operations = new Operations(api);
    this.products = new Products(api);
    this.quotes = new Quotes(api);
    this.sandbox = new Sandbox(api);
    this.statements = new Statements(api);
    this.transactions = new Transactions(api);
    this.webhookEndpoints = new WebhookEndpoints(api);
  }
}
