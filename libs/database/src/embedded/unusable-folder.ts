/** The folder cannot be used. The message is complete; a stack trace adds nothing. */
export class UnusableFolder extends Error {
  override readonly name = 'UnusableFolder';
}
