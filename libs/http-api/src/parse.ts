import type { z } from 'zod';
import { type ApiError, validationFailed } from './errors/api-error';

type Issue = z.core.$ZodIssue;

/** Returns the parsed value, or throws a 400 that names the invalid fields. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, thing: 'field' | 'query parameter'): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Parsed again with `reportInput`, which is slower but distinguishes a missing field from an invalid one.
  const { error } = schema.safeParse(value, { reportInput: true });
  throw explainIssues((error ?? result.error).issues, thing);
}

/** The rest is reported once these are fixed. Each unknown field counts as one. */
const maxProblems = 10;

/** One sentence for a failed validation. It names the invalid fields but does not repeat their values. */
function explainIssues(issues: readonly Issue[], thing: 'field' | 'query parameter'): ApiError {
  const sentences: string[] = [];
  let rest = maxProblems;
  for (const issue of issues) {
    if (rest <= 0) break;
    sentences.push(explain(issue, thing, rest));
    rest -= issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
  }
  return validationFailed(`${sentences.join('; ')}.`);
}

function explain(issue: Issue, thing: string, maxNames: number): string {
  // A schema with its own message for an unknown field takes precedence over the generic one.
  if (issue.code === 'unrecognized_keys' && issue.message.startsWith('Unrecognized')) {
    const names = issue.keys.slice(0, maxNames).map((name) => pathText([...issue.path, name]));
    const more = issue.keys.length > maxNames ? ` and ${issue.keys.length - maxNames} more` : '';
    return `Unknown ${thing} ${names.join(', ')}${more}: remove it`;
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

/** JSON has no undefined, so the field is missing. */
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

/** Shortens names that a client made too long for a log line. */
export function shortened(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

/** Florin's messages begin with "must"; zod's default messages are turned into a clause. */
function asClause(message: string): string {
  return message.startsWith('must') ? message : `is not valid: ${message}`;
}
