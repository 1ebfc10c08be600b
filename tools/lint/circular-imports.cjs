/** Rules of dependency-cruiser: a file must not import itself through other files, not even its types. */
module.exports = {
  forbidden: [{ name: 'no-circular-imports', severity: 'error', from: {}, to: { circular: true } }],
  options: {
    includeOnly: '^(apps|clients|libs|tools)/',
    exclude: '/(dist|generated|node_modules)/',
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
