import { InvoiceQueries, type PayableInvoice } from '@florin/read-models';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { toString as toQrCode } from 'qrcode';
import { isPaymentToken } from './payment-url';

/** A page that many payers poll costs one read in this time. */
const cachedMs = 1_000;
const maxCached = 10_000;
const maxQrCodes = 1_000;

/** The invoices behind payment pages, and the QR codes of their addresses. */
@Injectable()
export class PaymentPages {
  private readonly invoices = new LRUCache<string, Promise<PayableInvoice | undefined>>({
    max: maxCached,
    ttl: cachedMs,
  });
  private readonly qrCodes = new LRUCache<string, Promise<string>>({ max: maxQrCodes });

  constructor(private readonly queries: InvoiceQueries) {}

  async find(token: string): Promise<PayableInvoice | undefined> {
    if (!isPaymentToken(token)) return undefined;
    return remembered(this.invoices, token, () => this.queries.findPayable(token));
  }

  /** Companies have few addresses, so that their codes are drawn once. */
  qrCodeOf(address: string): Promise<string> {
    return remembered(this.qrCodes, address, () => drawQrCode(address));
  }
}

/** The address only: most wallets do not understand more. */
async function drawQrCode(address: string): Promise<string> {
  const svg = await toQrCode(address, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 });
  return svg.trim().replace('<svg ', '<svg role="img" aria-label="QR code of the address" ');
}

/** Concurrent callers share one result, and a failure is not kept. */
function remembered<Result>(
  cache: LRUCache<string, Promise<Result>>,
  key: string,
  create: () => Promise<Result>,
): Promise<Result> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const created = create();
  cache.set(key, created);
  created.catch(() => cache.delete(key));
  return created;
}
