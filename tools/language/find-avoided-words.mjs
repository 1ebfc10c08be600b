import ts from 'typescript';
import { avoidedWords } from './vocabulary.mjs';

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** Keeps comments and those strings that are prose, and blanks the rest so that line numbers stay. */
function proseOfScript(text) {
  const kept = [];
  const keep = (start, end) => kept.push([start, end]);
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    const isText =
      ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node); // prettier-ignore
    if (isText && /[A-Za-z] +[A-Za-z]/.test(node.text)) keep(node.getStart(), node.end);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const comments = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  for (const match of text.matchAll(comments)) {
    const inString = kept.some(([start, end]) => match.index >= start && match.index < end);
    if (!inString && !/^\/\/ (eslint|prettier)-/.test(match[0])) keep(match.index, match.index + match[0].length);
  }
  let prose = '';
  let at = 0;
  for (const [start, end] of kept.sort(([a], [b]) => a - b)) {
    if (start < at) continue;
    prose += blank(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return withoutCode(prose + blank(text.slice(at)));
}

/** Names in backticks and fenced blocks are code. */
function withoutCode(text) {
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, blank).replace(/`[^`\n]*`/g, blank);
}

const withoutLinks = (text) => text.replace(/\]\([^)\n]*\)|<https?:[^>\n]*>/g, blank);
const commentsAfter = (mark) => (text) =>
  text.replace(/[^\n]*/g, (line) => {
    const at = line.indexOf(mark);
    return at < 0 ? blank(line) : blank(line.slice(0, at)) + line.slice(at);
  });

const proseByEnding = {
  ts: proseOfScript,
  mjs: proseOfScript,
  cjs: proseOfScript,
  md: (text) => withoutLinks(withoutCode(text)),
  yaml: (text) => withoutCode(commentsAfter('#')(text)),
  prisma: (text) => withoutCode(commentsAfter('//')(text)),
  sql: (text) => withoutCode(commentsAfter('--')(text)),
};

export const isChecked = (file) => Object.hasOwn(proseByEnding, file.split('.').at(-1));

/** What a reader should not have to read, as `line: "word" (instead: …)`. */
export function findAvoidedWords(file, text) {
  const lines = proseByEnding[file.split('.').at(-1)](text).split('\n');
  return lines.flatMap((line, index) =>
    avoidedWords.flatMap(({ pattern, instead }) => {
      const [word] = line.match(pattern) ?? [];
      return word === undefined ? [] : [`${file}:${index + 1}: "${word}" (write: ${instead})`];
    }),
  );
}
