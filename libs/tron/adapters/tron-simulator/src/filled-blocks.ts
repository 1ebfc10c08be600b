import { blockJson, infosJson, validityMs } from './node-json';
import { sha256, simulatedAddress } from './simulated-address';
import type { Filling, SimBlock } from './simulated-block';
import { transfer } from './transactions';

const strangers = Array.from({ length: 100 }, (_, index) => simulatedAddress(`stranger ${index}`));

/** Values that occur in no real block, so that a template can find and replace them. */
const sampleTime = 8_000_000_000_000_000;
const sample = { number: Number.MAX_SAFE_INTEGER, id: '<id>', parentId: '<parent>'.padEnd(32, '~') };
const placeholders = [
  sample.number,
  hexOf(sample.number),
  sample.id,
  sample.parentId,
  sampleTime,
  sampleTime + validityMs,
];
const placeholderPattern = new RegExp(`(${placeholders.join('|')})`);

/** Renders filled blocks from one template, because all texts together would not fit in memory. */
export class FilledBlockWriter {
  private readonly templates = new Map<string, { readonly block: Template; readonly infos: Template }>();

  block(block: SimBlock, filling: Filling): string {
    return this.templatesOf(filling).block.fillIn(block);
  }

  infos(block: SimBlock, filling: Filling): string {
    return this.templatesOf(filling).infos.fillIn(block);
  }

  private templatesOf(filling: Filling): { readonly block: Template; readonly infos: Template } {
    const key = JSON.stringify(filling);
    const known = this.templates.get(key);
    if (known) return known;
    const block = sampleBlock(filling);
    const templates = { block: new Template(blockJson(block)), infos: new Template(infosJson(block)) };
    this.templates.set(key, templates);
    return templates;
  }
}

class Template {
  /** Fixed text at even indexes, placeholders at odd ones. */
  private readonly parts: readonly string[];

  constructor(text: string) {
    this.parts = text.split(placeholderPattern);
  }

  fillIn({ number, id, parentId, time }: SimBlock): string {
    const timestamp = Date.parse(time);
    const values = [number, hexOf(number), id, parentId, timestamp, timestamp + validityMs];
    const valueOf = new Map(placeholders.map((placeholder, index) => [String(placeholder), String(values[index])]));
    return this.parts.map((part, index) => (index % 2 === 1 ? valueOf.get(part) : part)).join('');
  }
}

function sampleBlock({ transfersPerBlock, recipients = strangers }: Filling): SimBlock {
  const transactions = Array.from({ length: transfersPerBlock }, (_, index) => ({
    ...transfer({ to: recipients[index % recipients.length] ?? '', amount: BigInt(1_000_000 + index) }),
    id: hexOf(sample.number) + sha256(`filled ${index}`).toString('hex').slice(16),
  }));
  return { ...sample, time: new Date(sampleTime).toISOString(), transactions };
}

function hexOf(number: number): string {
  return number.toString(16).padStart(16, '0');
}
