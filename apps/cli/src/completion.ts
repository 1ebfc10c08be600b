import type { Command, Option } from 'commander';

interface Candidate {
  readonly word: string;
  readonly description?: string;
}

/** What can complete the last of the words after `florin`. A shell completes file names itself if there is nothing. */
export function candidatesFor(program: Command, words: readonly string[]): readonly Candidate[] {
  const current = words.at(-1) ?? '';
  const { command, argumentCount, pending } = positionAfter(program, words.slice(0, -1));
  const candidates = pending ? choicesOf(pending) : nextOf(command, argumentCount, current.startsWith('-'));
  return candidates.filter(({ word }) => word.startsWith(current));
}

interface Position {
  readonly command: Command;
  readonly argumentCount: number;
  /** The option whose value comes next. */
  readonly pending?: Option;
}

function positionAfter(program: Command, words: readonly string[]): Position {
  let command = program;
  let argumentCount = 0;
  let pending: Option | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word.startsWith('-')) {
      const option = optionsOf(command).find(({ long }) => long === word);
      pending = option?.required ? option : undefined;
    } else {
      const child = argumentCount === 0 ? command.commands.find((candidate) => candidate.name() === word) : undefined;
      command = child ?? command;
      argumentCount += child === undefined ? 1 : 0;
    }
  }
  return { command, argumentCount, pending };
}

function nextOf(command: Command, argumentCount: number, isOption: boolean): readonly Candidate[] {
  if (isOption) return optionsOf(command).map(({ long, description }) => ({ word: long!, description }));
  const argument = command.registeredArguments[argumentCount];
  const children = argumentCount === 0 ? command.commands : [];
  return [
    ...children.map((child) => ({ word: child.name(), description: child.description() })),
    ...(argument === undefined ? [] : choicesOf(argument)),
  ];
}

/** Also those of the commands above it, and `--help`. */
function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent === null ? own : [...own, ...parentOptions(command.parent)];
}

function parentOptions(command: Command): readonly Option[] {
  return command.parent === null ? command.options : [...command.options, ...parentOptions(command.parent)];
}

function choicesOf({ argChoices }: { readonly argChoices?: readonly string[] }): readonly Candidate[] {
  return (argChoices ?? []).map((word) => ({ word }));
}

/** The scripts call `florin completion <shell> -- <words>`, which prints one candidate per line, with a tab before its description. */
export const completionScripts = {
  bash: `_florin() {
  local IFS=$'\\n'
  COMPREPLY=($(florin completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _florin florin`,
  zsh: `_florin() {
  local -a candidates
  candidates=(\${(f)"$(florin completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#candidates} )); then _describe florin candidates; else _files; fi
}
compdef _florin florin`,
  fish: `function __florin_candidates
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    florin completion fish -- $words "$current" 2>/dev/null
end
complete -c florin -a '(__florin_candidates)'`,
} as const;

export type Shell = keyof typeof completionScripts;

/** Each shell has its own separator between a candidate and its description; bash shows none. */
export function candidateLine(shell: Shell, { word, description }: Candidate): string {
  if (shell === 'bash' || description === undefined) return word;
  return shell === 'fish' ? `${word}\t${description}` : `${word.replaceAll(':', '\\:')}:${description}`;
}
