/** The folder cannot be used as things are. The message says all there is to say: no stack would tell more. */
export class UnusableFolder extends Error {
  override readonly name = 'UnusableFolder';
}
