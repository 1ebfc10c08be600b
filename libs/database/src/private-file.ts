import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file that only its owner can read, atomically. Durable when it returns. */
export function replacePrivateFile(path: string, text: string): void {
  const draft = writeDraft(path, text);
  renameSync(draft, path);
  syncFolderOf(path);
}

/** Like `replacePrivateFile`, but fails with EEXIST if the file exists. */
export function createPrivateFile(path: string, text: string): void {
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
  } finally {
    rmSync(draft);
  }
  syncFolderOf(path);
}

/** A crash of the machine could otherwise lose the name of the file, although its content is on the disk. */
function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * The draft is created exclusively: the mode of an existing file would stay, and a link would lead the text elsewhere. A
 * file that is found in its place is left over from a crash or was prepared by another user, and is removed.
 */
function writeDraft(path: string, text: string): string {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}
