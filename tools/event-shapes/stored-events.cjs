const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const ts = require('typescript');
const { readShapes } = require('./event-shapes.cjs');

const root = resolve(__dirname, '../..');
const recordFile = join(__dirname, 'event-shapes.json');

const readRecord = () => JSON.parse(readFileSync(recordFile, 'utf8'));

/** The shapes of all events that the domains store. */
function currentShapes() {
  const files = ts.sys.readDirectory(join(root, 'libs'), ['.messages.ts'], ['**/node_modules', '**/dist'], undefined);
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, root); // prettier-ignore
  return readShapes(files.sort(), options);
}

module.exports = { currentShapes, readRecord, recordFile };
