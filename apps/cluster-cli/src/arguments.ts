const optionNames = ['replicas', 'event-store', 'port', 'data', 'logs'] as const;

export type OptionName = (typeof optionNames)[number];

export interface Arguments {
  readonly wantsHelp: boolean;
  readonly options: Partial<Record<OptionName, string>>;
  /** `NAME=value`: what a variable is when the environment does not say otherwise. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/** Takes the arguments apart. Unlike `parseArgs` of Node it goes on after a mistake, so that all of them can be told. */
export function readArguments(args: readonly string[]): Arguments {
  const [options, defaults, problems]: [Partial<Record<OptionName, string>>, Record<string, string>, string[]] = [
    {},
    {},
    [],
  ];
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--help') continue;
    const [, name = '', inline] = /^--([^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
    const [, variable, setting = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(argument) ?? [];
    if (isOption(name)) {
      const value = inline ?? (rest[0]?.startsWith('--') ? undefined : rest.shift());
      if (value) options[name] = value;
      else problems.push(`--${name} needs a value, such as --${name} ${examples[name]}`);
    } else if (variable !== undefined) defaults[variable] = setting;
    else if (argument.startsWith('-')) problems.push(`${argument} is no option: ${known()}`);
    else problems.push(`${argument} is neither an option nor NAME=value: ${known()}`);
  }
  return { wantsHelp: args.includes('--help'), options, defaults, problems };
}

const examples: Readonly<Record<OptionName, string>> = {
  replicas: 'operations=2,ledger=2',
  'event-store': 'eventstoredb',
  port: '3000',
  data: '.florin/cluster',
  logs: 'operations,ledger',
};

function isOption(name: string): name is OptionName {
  return (optionNames as readonly string[]).includes(name);
}

function known(): string {
  return `there are ${optionNames.map((name) => `--${name}`).join(', ')} and --help`;
}
