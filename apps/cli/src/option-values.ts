import { environments } from '@florin/companies-domain';
import { InvalidArgumentError, Option } from 'commander';

/** ISO 8601 with an offset, as UTC. */
export function parseTime(text: string): string {
  const time = new Date(text);
  const isComplete = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime());
  if (isComplete) return time.toISOString();
  throw new InvalidArgumentError('Use a time with its offset from UTC, such as 2030-01-31T00:00:00Z.');
}

/** For an option that accepts the whole numbers of a range. */
export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,9}$/.test(text.trim()) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Use a whole number from ${from} to ${to}.`);
  };
}

type Pairs = Readonly<Record<string, string>>;

/** `--metadata order=4711 team=sales`, or the option several times. */
export function metadataOption(description: string): Option {
  return new Option('--metadata <key=value...>', description).argParser((text: string, earlier: Pairs = {}): Pairs => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key === undefined) throw new InvalidArgumentError('Use a key and a value, such as order=4711.');
    return { ...earlier, [key]: value! };
  });
}

export function environmentOption(description: string): Option {
  return new Option('--environment <environment>', description).choices(environments);
}

/** A filter of a list. The API has a parameter of the same name. */
export function filterOption(flags: string, description: string, choices?: readonly string[]): Option {
  const option = new Option(flags, description);
  return choices === undefined ? option : option.choices(choices);
}

/** The filters by the time of creation. */
export function createdOptions(): readonly Option[] {
  return [
    new Option('--created-from <time>', 'only those created at this time or later').argParser(parseTime),
    new Option('--created-to <time>', 'only those created at this time or earlier').argParser(parseTime),
  ];
}
