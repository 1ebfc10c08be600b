import type { z } from 'zod';
import { type ApiError, validationFailed } from './errors/api-error';

type Issue = z.core.$ZodIssue;

/** More than this helps nobody: the rest shows up when these are mended. */
const maximumIssues = 5;

/** One sentence for a failed validation. It names every wrong field, and never repeats what the client sent there. */
export function explainIssues(issues: readonly Issue[], thing: 'field' | 'query parameter'): ApiError {
  const sentences = issues.slice(0, maximumIssues).map((issue) => explain(issue, thing));
  return validationFailed(`${sentences.join('; ')}.`);
}

function explain(issue: Issue, thing: string): string {
  // A schema that knows why a field is not taken says so itself; what zod says is the same for every field.
  if (issue.code === 'unrecognized_keys' && issue.message.startsWith('Unrecognized')) {
    const names = issue.keys.map((name) => pathText([...issue.path, name])).join(', ');
    return `Unknown ${thing} ${names}: remove it`;
  }
  if (issue.path.length === 0) return issue.message;
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid')) {
    return `${pathText(issue.path)} ${isAbsent(issue) ? 'is required: it' : ''} must be ${alternatives(issue.values)}`.replace(
      '  ',
      ' ',
    );
  }
  return `${pathText(issue.path)} ${isAbsent(issue) ? 'is required' : asClause(issue.message)}`;
}

function alternatives(values: readonly unknown[]): string {
  const texts = values.map(String);
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

/** JSON has no undefined, so that this can only be a field that was left out. */
function isAbsent(issue: Issue): boolean {
  return issue.input === undefined;
}

/** `items[2].name` */
function pathText(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
  return shortened(text);
}

/** Cut where a client made a name so long that it would fill the log. */
export function shortened(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

/** Our own schemas say "must be …"; what zod says by itself, "Invalid input: …", becomes a clause too. */
function asClause(message: string): string {
  return message.startsWith('must') ? message : `is not valid: ${message}`;
}
