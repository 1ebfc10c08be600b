import { wholeNumber } from '@florin/dev-platform';
import { Command } from 'commander';

export interface IssuerSimOptions {
  readonly port: number;
  readonly secret: string;
  /** The address of Florin. */
  readonly florin: string;
  readonly journal?: string;
}

const controlApi = `
Serves the contract of docs/ISSUER.md. By default the cents of an amount select the outcome: .91 is declined, .92 gets no response,
.93 is slow, others are accepted. Control it with JSON requests to /sim:

  POST /sim/script     {"type": "unload", "behavior": "resets", "delayMs": 500, "times": 2}
  POST /sim/authorize  {"card": "<id or reference>", "amount": "12.50", "merchantCategory": "5814", "country": "NL"}
  POST /sim/clear      {"authorization": "<reference>", "amount": "10.00", "final": false}
  POST /sim/reverse    {"authorization": "<reference>"}         also /sim/expire
  POST /sim/refund     {"authorization": "<reference>", "amount": "5.00"}
  POST /sim/pay        {"card": "<id>", "amount": "12.50"}      a payment without authorization
  POST /sim/status     {"card": "<id>", "status": "blocked"}    or active, expired
  POST /sim/confirm    {"operationId": "<id>", "outcome": "accepted"}    a late outcome
  POST /sim/hold                                                hold callbacks from now on …
  POST /sim/release    {"times": 2, "order": "reversed"}        … and send them, repeated and in another order
  POST /sim/heal                                                drop the rules of the script
  GET  /sim/state`;

export function createCommand(): Command {
  return new Command('npm run issuer-sim --')
    .description('Simulates a card issuer on 127.0.0.1, for development and demos.')
    .helpOption('--help', 'show this help')
    .option('--port <number>', 'port to listen on; 0 for a free one', wholeNumber(0, 65_535), 8_091)
    .option('--secret <text>', 'the secret shared with Florin', 'simulated-issuer-secret-0123456789')
    .option('--florin <url>', 'the address of Florin, for callbacks', 'http://127.0.0.1:3000')
    .option('--journal <file>', 'append every call to this file, and continue from it')
    .addHelpText('after', controlApi);
}
