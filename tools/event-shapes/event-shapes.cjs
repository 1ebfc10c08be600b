const ts = require('typescript');

/** The shape of every event version that the `EventVersions` tables of these files describe: `{ type: { version: shape } }`. */
function readShapes(files, compilerOptions) {
  const program = ts.createProgram(files, { ...compilerOptions, noEmit: true });
  const checker = program.getTypeChecker();
  const shapes = {};
  for (const file of files) {
    for (const table of tablesIn(program.getSourceFile(file))) {
      const versions = versionsIn(table);
      const [union] = table.type.typeArguments.map((node) => checker.getTypeFromTypeNode(node));
      for (const event of union.isUnion() ? union.types : [union]) {
        const type = propertyOf(checker, event, 'type').value;
        if (type in shapes) throw new Error(`Two tables describe the event type ${type}`);
        shapes[type] = { [versions[type]]: shapeOf(checker, propertyOf(checker, event, 'data')) };
      }
    }
  }
  return shapes;
}

/** Variables that are annotated with `EventVersions<…>`. */
function tablesIn(source) {
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .filter(({ type }) => type && ts.isTypeReferenceNode(type) && type.typeName.getText() === 'EventVersions');
}

/** The current version is the number of upcasters plus one. */
function versionsIn(table) {
  return Object.fromEntries(
    table.initializer.properties.map(({ name, initializer }) => {
      if (!initializer || !ts.isArrayLiteralExpression(initializer)) {
        throw new Error(`${name.getText()} in ${table.name.getText()} must list its upcasters in an array literal`);
      }
      return [name.getText(), initializer.elements.length + 1];
    }),
  );
}

function propertyOf(checker, type, name) {
  return checker.getTypeOfSymbol(checker.getPropertyOfType(type, name));
}

/** A type as JSON, without its alias names and in sorted order, so that only a change of the stored data changes it. */
function shapeOf(checker, type, parents = []) {
  if (type.aliasSymbol?.name === 'Json') return 'json';
  if (parents.includes(type)) return 'recursive';
  const inner = (part) => shapeOf(checker, part, [...parents, type]);
  if (type.isUnion()) return unionOf(type.types.map(inner));
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    return { arrayOf: unionOf(checker.getTypeArguments(type).map(inner)) };
  }
  if (type.isIntersection() || type.flags & ts.TypeFlags.Object) return objectOf(checker, type, inner);
  return checker.typeToString(type);
}

function objectOf(checker, type, inner) {
  const members = checker.getPropertiesOfType(type).map((property) => {
    const isOptional = property.flags & ts.SymbolFlags.Optional;
    const shape = inner(checker.getTypeOfSymbol(property));
    return [isOptional ? `${property.name}?` : property.name, shape];
  });
  for (const { keyType, type: valueType } of checker.getIndexInfosOfType(type)) {
    members.push([`[${checker.typeToString(keyType)}]`, inner(valueType)]);
  }
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `undefined` is not stored, and TypeScript splits `boolean` into its two values. */
function unionOf(shapes) {
  const texts = new Set(shapes.filter((shape) => shape !== 'undefined').map((shape) => JSON.stringify(shape)));
  if (texts.delete('"true"') && texts.delete('"false"')) texts.add('"boolean"');
  const parts = [...texts].sort().map((text) => JSON.parse(text));
  return parts.length === 1 ? parts[0] : { oneOf: parts };
}

/** Why the recorded shapes and those of the code do not fit together; empty when they do. */
function findProblems(recorded, current) {
  const problems = [];
  for (const [type, versions] of Object.entries(recorded)) {
    if (!(type in current)) {
      problems.push(`${type} has no event type any more, but stored events of this type must stay readable.`);
      continue;
    }
    const [[version, shape]] = Object.entries(current[type]);
    if (Number(version) < Math.max(...Object.keys(versions).map(Number))) {
      problems.push(`${type} is at version ${version}, but a later version is recorded. Restore its upcasters.`);
    } else if (version in versions && JSON.stringify(versions[version]) !== JSON.stringify(shape)) {
      problems.push(
        `${type} version ${version} has changed its shape, but stored events keep the recorded one. ` +
          'Append an upcaster to its EventVersions entry, which makes a new version, then run: npm run record:event-shapes',
      );
    }
  }
  return problems;
}

/** The recorded shapes plus the new versions. A recorded version never changes. */
function withNewVersions(recorded, current) {
  const types = [...new Set([...Object.keys(recorded), ...Object.keys(current)])].sort();
  return Object.fromEntries(types.map((type) => [type, { ...current[type], ...recorded[type] }]));
}

module.exports = { readShapes, findProblems, withNewVersions };
