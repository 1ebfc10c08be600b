/** The folder cannot be used. The message is complete; a stack trace adds nothing. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}
