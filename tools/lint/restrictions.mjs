import { contexts, layers, layersForTests, packages, packagesForTests } from './module-boundaries.mjs';

const contextNames = Object.keys(contexts);
const layersOfContexts = ['domain', 'application', 'context-adapter'];
const layersOutsideContexts = Object.keys(layers).filter((layer) => !layersOfContexts.includes(layer));

/** Layers and contexts as constraints of the Nx rule, which compares the tags of projects. */
export function dependencyConstraints({ forTests }) {
  const byLayer = Object.entries(layers).map(([layer, others]) => ({
    sourceTag: `layer:${layer}`,
    onlyDependOnLibsWithTags: [...others, ...(forTests ? (layersForTests[layer] ?? []) : [])].map(layerTag),
  }));
  const byContext = Object.entries(contexts).map(([context, known]) => ({
    sourceTag: `context:${context}`,
    onlyDependOnLibsWithTags: [
      ...[context, ...known].map((name) => `context:${name}`),
      ...layersOutsideContexts.map(layerTag),
    ],
  }));
  return [...byLayer, ...byContext];
}

/** Every folder with restrictions. ESLint uses the last entry that matches a file, so the order matters. */
export const restrictedFolders = [
  { folder: 'apps' },
  { folder: 'clients' },
  { folder: 'libs' },
  ...contextNames.flatMap((context) => {
    const messagesOf = contextNames.filter((name) => name !== context);
    return [
      { folder: `libs/${context}`, messagesOf },
      { folder: `libs/${context}/domain`, messagesOf, allowedPackages: [], restrictedNames: [impureNamesOfKernel()] },
    ];
  }),
  ...Object.entries(packages).map(([folder, allowedPackages]) => ({
    folder,
    allowedPackages,
    withoutDomains: folder === 'libs/audit',
  })),
];

/** The options of ESLint's `no-restricted-imports` for code in such a folder. */
export function restrictedImports({ messagesOf, allowedPackages, restrictedNames, withoutDomains }) {
  const patterns = [privateModules(), testSupport()];
  if (withoutDomains) patterns.push(allDomains());
  if (messagesOf) patterns.push(exceptTypesOf(messagesOf));
  if (allowedPackages) patterns.push(allPackagesBut(allowedPackages));
  return { paths: restrictedNames ?? [], patterns };
}

/** The same for specs and test support, which may import code of other contexts. */
export function restrictedImportsOfTests({ allowedPackages }) {
  const patterns = [privateModules()];
  if (allowedPackages) patterns.push(allPackagesBut([...new Set([...allowedPackages, ...packagesForTests])]));
  return { patterns };
}

function layerTag(layer) {
  return `layer:${layer}`;
}

function privateModules() {
  return {
    regex: '^@florin/[^/]+/(?!(testing|tools|web)$)',
    message: 'Import the package by its name; its other modules are private.',
  };
}

function testSupport() {
  return { regex: '^@florin/[^/]+/testing$', message: 'Only specs and testing folders may import test support.' };
}

function impureNamesOfKernel() {
  return {
    name: '@florin/kernel',
    importNames: ['systemClock', 'randomId'],
    message: 'Time and ids are part of the command, so that a decision is repeatable.',
  };
}

function allDomains() {
  return {
    regex: '^@florin/.+-domain$',
    message: 'The audit reads events as plain data. Only its folder `explain` may import domains.',
  };
}

function exceptTypesOf(contextsSeen) {
  return {
    regex: `^@florin/(${contextsSeen.join('|')})-`,
    allowTypeImports: true,
    message: 'Contexts share only message types: write `import type`.',
  };
}

function allPackagesBut(allowed) {
  const names = allowed.map((name) => name.replaceAll('.', '\\.').replace('*', '.+'));
  return {
    regex: `^(?!\\.{1,2}(/|$)|@florin/|(${names.join('|')})(/|$))`,
    message: `Only ${allowed.join(', ') || 'packages of this workspace'} may be imported here: see tools/lint/module-boundaries.mjs.`,
  };
}

export const impureGlobals = [
  'crypto',
  'fetch',
  'global',
  'globalThis',
  'performance',
  'process',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

export const impureProperties = [
  { object: 'Date', property: 'now' },
  { object: 'Math', property: 'random' },
];

export const impureSyntax = [
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'Time is part of the command.' },
  { selector: 'CallExpression[callee.name="Date"]', message: 'Time is part of the command.' },
  { selector: 'ImportExpression', message: 'A domain loads no module at run time.' },
];
