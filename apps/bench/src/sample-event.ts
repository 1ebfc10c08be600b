import { randomId } from '@florin/kernel';

/** Similar to a stored reservation: about 420 bytes of JSON with its metadata. */
export interface SampleData {
  readonly operationId: string;
  readonly companyId: string;
  readonly environment: string;
  readonly amount: string;
  readonly fee: string;
  readonly total: string;
  readonly availableAfter: string;
  readonly heldAfter: string;
  readonly reservedAt: string;
}

const companyId = randomId();

export const sampleType = 'FundsReserved';

export function sampleData(): SampleData {
  return {
    operationId: randomId(),
    companyId,
    environment: 'sandbox',
    amount: '100.00',
    fee: '3.20',
    total: '103.20',
    availableAfter: '1896.80',
    heldAfter: '103.20',
    reservedAt: '2026-11-15T12:34:56.789Z',
  };
}

export function sampleMetadata(): Readonly<Record<string, string | number>> {
  return {
    schemaVersion: 1,
    recordedAt: '2026-11-15T12:34:56.789Z',
    correlationId: randomId(),
    causationId: randomId(),
  };
}

export function sampleEvent(): { id: string; type: string; data: string; metadata: string } {
  return {
    id: randomId(),
    type: sampleType,
    data: JSON.stringify(sampleData()),
    metadata: JSON.stringify(sampleMetadata()),
  };
}
