interface Vocabulary {
  readonly avoidedWords: readonly { readonly pattern: RegExp }[];
}
interface Finder {
  findAvoidedWords(file: string, text: string): string[];
}
const { avoidedWords } = jest.requireActual<Vocabulary>('./vocabulary.mjs');
const { findAvoidedWords } = jest.requireActual<Finder>('./find-avoided-words.mjs');

/** One sentence for every entry of the vocabulary. */
const sentences = [
  'carries out a wish',
  'whoever sends the request',
  'is called once, ever',
  'makes the read models anew',
  'needs Java besides',
  'tells the client',
  'the amount stands there',
  'mends the row',
  'the issuer answers',
  'looks at the row',
  'nobody waits for it',
  'somebody was faster',
  'open to anybody',
  'the database comes along with the packages',
  'passes over the event',
  'the delivery is given up',
  'made of many parts',
  'has a process of its own',
  'the balance is nought',
  'both work in turns',
  'enters through the turnstile',
  'keeps pace with the chain',
  'the lane of an endpoint',
  'puts it into the outbox',
  'sends a letter',
  'the freshness of a row',
  'finds a stray hold',
  'reads a stretch of blocks',
  'judges the deposit',
  'releases the hold',
  'a hold of funds',
  'fails and says so',
  'stops for good',
  'waits so long as it runs',
];

const find = (file: string, text: string) => findAvoidedWords(file, text).length > 0;

describe('The language check', () => {
  it('has a sample for every avoided word', () => {
    const unused = avoidedWords.filter(({ pattern }) => !sentences.some((sentence) => pattern.test(sentence)));
    expect(unused).toEqual([]);
  });

  it.each(sentences)('finds "%s" in comments, strings and documentation', (sentence) => {
    expect(find('a.ts', `// It ${sentence}.`)).toBe(true);
    expect(find('a.ts', `/** It ${sentence}. */`)).toBe(true);
    expect(find('a.ts', `it('always ${sentence}', run);`)).toBe(true);
    expect(find('a.ts', 'log(`' + sentence + ' ${x}`);')).toBe(true);
    expect(find('a.ts', 'log(`The process ' + sentence + '`);')).toBe(true);
    expect(find('a.md', `It ${sentence}.`)).toBe(true);
    expect(find('a.yaml', `key: value # ${sentence}`)).toBe(true);
    expect(find('Dockerfile', `# ${sentence}`)).toBe(true);
    expect(find('a.prisma', `/// ${sentence}`)).toBe(true);
    expect(find('a.sql', `-- ${sentence}`)).toBe(true);
  });

  it('reports file, line and replacement', () => {
    expect(findAvoidedWords('a.md', 'One.\nTwo wishes.')).toEqual([
      'a.md:2: "wishes" (write: command, request or event)',
    ]);
  });

  it.each([
    ['a.ts', 'const wish = hold.answer(letters);'],
    ['a.ts', `const stream = 'answer';`],
    ['a.ts', `const url = 'https://example.com/answer';`],
    ['a.ts', '// The event `StrayHoldFound` and the column `told` keep their names.'],
    ['a.ts', '// eslint-disable-next-line no-empty -- nobody waits'],
    ['a.md', 'The field `answer` is optional.'],
    ['a.md', '```ts\nconst wish = 1;\n```'],
    ['a.md', '[the page](docs/told.md)'],
    ['a.yaml', 'told: true'],
  ])('ignores code in %s: %s', (file, text) => {
    expect(findAvoidedWords(file, text)).toEqual([]);
  });

  it.each(['stand-alone', 'dead letter', 'held funds', 'the API holds the connection open'])('accepts "%s"', (text) => {
    expect(findAvoidedWords('a.md', text)).toEqual([]);
  });
});
