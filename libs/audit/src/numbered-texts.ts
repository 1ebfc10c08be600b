/** Few different texts, such as the names of accounts, which records refer to by number. Plain data. */
export class NumberedTexts {
  readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.numberOf(text);
  }

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  textOf(number: number): string {
    return this.texts[number]!;
  }
}
