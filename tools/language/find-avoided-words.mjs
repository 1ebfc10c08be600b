import { basename } from 'node:path';
import ts from 'typescript';
import { avoidedWords } from './vocabulary.mjs';

const blank = (text) => text.replace(/[^\n]/g, ' ');
const isProse = (text) => /[A-Za-z] +[A-Za-z]/.test(text);

const literalKinds = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateHead,
  ts.SyntaxKind.TemplateMiddle,
  ts.SyntaxKind.TemplateTail,
  ts.SyntaxKind.RegularExpressionLiteral,
]);

function literalsOf(text) {
  const literals = [];
  const visit = (node) => {
    if (literalKinds.has(node.kind)) literals.push({ start: node.getStart() + 1, end: node.end - 1, text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true));
  return literals;
}

/** Comments, except those for linters. A comment mark inside a literal, as in a URL, starts no comment. */
function commentsOf(text, literals) {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)]
    .map(({ index, 0: comment }) => ({ start: index, end: index + comment.length, text: comment }))
    .filter(({ start }) => !literals.some((literal) => start >= literal.start && start < literal.end))
    .filter((comment) => !/^\/\/ (eslint|prettier)-/.test(comment.text));
}

/** Keeps comments and strings of several words, and blanks the rest so that line numbers stay the same. */
function proseOfScript(text) {
  const literals = literalsOf(text);
  const kept = [...literals.filter((literal) => isProse(literal.text)), ...commentsOf(text, literals)];
  let prose = '';
  let at = 0;
  for (const { start, end } of kept.sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    prose += blank(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return withoutCode(prose + blank(text.slice(at)));
}

/** Fenced blocks and names in backticks are code. */
function withoutCode(text) {
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, blank).replace(/`[^`\n]*`/g, blank);
}

const withoutLinks = (text) => text.replace(/\]\([^)\n]*\)|<https?:[^>\n]*>/g, blank);

const commentsAfter = (mark) => (text) =>
  withoutCode(
    text.replace(/[^\n]*/g, (line) => {
      const at = line.indexOf(mark);
      return at < 0 ? blank(line) : blank(line.slice(0, at)) + line.slice(at);
    }),
  );

const proseByEnding = {
  ts: proseOfScript,
  mjs: proseOfScript,
  cjs: proseOfScript,
  md: (text) => withoutLinks(withoutCode(text)),
  yaml: commentsAfter('#'),
  py: commentsAfter('#'),
  Dockerfile: commentsAfter('#'),
  prisma: commentsAfter('//'),
  sql: commentsAfter('--'),
};

const endingOf = (file) => basename(file).split('.').at(-1);

export const isChecked = (file) => Object.hasOwn(proseByEnding, endingOf(file));

/** The avoided words of a text, each as `file:line: "word" (write: …)`. */
export function findAvoidedWords(file, text) {
  const lines = proseByEnding[endingOf(file)](text).split('\n');
  return lines.flatMap((line, index) =>
    avoidedWords.flatMap(({ pattern, instead }) => {
      const [word] = line.match(pattern) ?? [];
      return word === undefined ? [] : [`${file}:${index + 1}: "${word}" (write: ${instead})`];
    }),
  );
}
