import fs, {
  chmodSync,
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPrivateFile, replacePrivateFile } from './private-file';

describe('Private files', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'florin-private-'));
    path = join(folder, 'credentials.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const modeOf = (file: string): number => statSync(file).mode & 0o777;

  describe.each([
    ['replacePrivateFile', replacePrivateFile],
    ['createPrivateFile', createPrivateFile],
  ])('%s', (_name, write) => {
    it('is readable by its owner only and leaves no draft', () => {
      write(path, 'secret');
      expect({ text: readFileSync(path, 'utf8'), mode: modeOf(path) }).toEqual({ text: 'secret', mode: 0o600 });
      expect(readdirSync(folder)).toEqual(['credentials.json']);
    });

    it('waits until the content and then the name of the file are on the disk', () => {
      const synced: string[] = [];
      const real = fs.fsyncSync;
      jest.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
        synced.push(fs.fstatSync(file).isDirectory() ? `folder with ${readdirSync(folder).join(', ')}` : 'file');
        real(file);
      });
      write(path, 'secret');
      jest.restoreAllMocks();
      expect(synced).toEqual(['file', 'folder with credentials.json']);
    });

    it('does not take over the mode of a prepared draft', () => {
      writeFileSync(`${path}.new`, 'prepared');
      chmodSync(`${path}.new`, 0o666);
      const prepared = openSync(`${path}.new`, 'r');
      write(path, 'secret');
      // The author of the prepared draft still has it open, and reads nothing else from it.
      expect(readFileSync(prepared, 'utf8')).toBe('prepared');
      closeSync(prepared);
      expect({ text: readFileSync(path, 'utf8'), mode: modeOf(path) }).toEqual({ text: 'secret', mode: 0o600 });
      expect(readdirSync(folder)).toEqual(['credentials.json']);
    });

    it('does not write through a link in place of the draft', () => {
      const target = join(folder, 'target');
      writeFileSync(target, 'untouched');
      symlinkSync(target, `${path}.new`);
      write(path, 'secret');
      expect(readFileSync(target, 'utf8')).toBe('untouched');
      expect(lstatSync(path).isFile()).toBe(true);
    });
  });

  it('replaces a link in place of the file, not what it points to', () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'untouched', { mode: 0o666 });
    symlinkSync(target, path);
    replacePrivateFile(path, 'secret');
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(lstatSync(path).isFile()).toBe(true);
    expect(modeOf(path)).toBe(0o600);
  });

  it('creates no file where one exists, not even a broken link', () => {
    symlinkSync(join(folder, 'nowhere'), path);
    expect(() => createPrivateFile(path, 'secret')).toThrow('EEXIST');
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });
});
