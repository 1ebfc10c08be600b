export const acme = { companyId: 'c0ffee00-0000-4000-8000-000000000001', environment: 'sandbox' } as const;
export const acmeLive = { ...acme, environment: 'live' } as const;
export const ida = { companyId: 'c0ffee00-0000-4000-8000-000000000002', environment: 'sandbox' } as const;

export interface Owner {
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
}

const prefixes = {
  operation: '00e0',
  card: '00ca',
  holder: '0010',
  payment: '00ba',
  call: '0ca1',
  note: '0007',
  invoice: '1010',
  deposit: 'de00',
  adjustment: 'ad00',
  approval: 'a900',
} as const;

/** A UUID that is recognizable in test failures. */
export function idOf(kind: keyof typeof prefixes, number: number): string {
  return `${prefixes[kind]}0000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
