import { folders } from './boundaries.mjs'

// Who may import whom. Each kind of rule is proven by a planted violation in test/boundaries.process.test.ts.
const code = { pathNot: ['\\.test\\.tsx?$', '^lib/db/generated/'] }
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

/** A line is a file, or a folder without the folders in it, which have lines of their own. */
const inside = (folder) => {
  const path = folder.replaceAll('.', '\\.')
  if (folder.endsWith('.ts')) return `^${path}$`
  return folder === 'lib/domain' ? '^lib/domain/' : `^${path}/[^/]+$`
}
/** The folders of components from which everything beside them is made. */
const beneath = '(browser|form|reveal|search|ui)'
const list = (names) => names.join(', ') || 'nothing'

const folderRules = folders.flatMap(({ folder, what, may, packages = [] }) => [
  forbid(
    `${folder} imports`,
    `${folder} (${what}) may import of lib: ${list(may)}. Move what is shared into one of these, pass it in as an argument, or, where boundaries.mjs is wrong, add it there`,
    { path: inside(folder), ...code },
    {
      path: '^(lib|app|components|bin|proofs|test)/|^(server|projector)\\.ts$',
      pathNot: [folder, ...may].map(inside).concat('^lib/db/generated/'),
    },
  ),
  forbid(
    `${folder} packages`,
    `${folder} (${what}) may use these packages: ${list(packages)}. A new one is a line in boundaries.mjs, and a reason in docs/decisions/0009-libraries.md`,
    { path: inside(folder), ...code },
    {
      path: 'node_modules/',
      pathNot: ['server-only', ...packages].map((name) => `node_modules/(@types/)?${name}/`),
    },
  ),
])

export default {
  forbidden: [
    ...folderRules,
    forbid(
      'lib-file-has-a-line',
      'Every folder of lib has a line in boundaries.mjs that says what it is and what it may import',
      { path: '^lib/', pathNot: [...folders.map(({ folder }) => inside(folder)), ...code.pathNot] },
      {},
    ),
    forbid(
      'domain-is-pure',
      'lib/domain imports nothing but lib/domain',
      { path: '^lib/domain/', ...code },
      { pathNot: '^lib/domain/' },
    ),
    forbid(
      'ingest-steps-apart',
      'Steps of ingest do not know each other; only the file that owns the flow calls them',
      { path: '^lib/ingest/(verify|store)[^/]*\\.ts$', ...code },
      { path: '^lib/ingest/(receive|verify-secret|store)\\.ts$' },
    ),
    forbid(
      'pages-use-use-cases',
      'app imports use cases, auth, the ingest entry, domain types and components; never the database or the client',
      { path: '^app/', ...code },
      { path: ['^lib/(db|service|projector|queue)/', '^lib/ingest/(?!web-http\\.ts)'] },
    ),
    forbid(
      'components-stay-in-the-browser',
      'components import the domain, labels and components. Types of what use cases answer are erased and may be named',
      { path: '^components/', ...code },
      {
        path: ['^lib/(?!domain/|labels/|forms/action-state\\.ts)', '^app/', '^server\\.ts'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbid(
      'sandbox-knows-no-dashboard',
      'A fake made from its client could only agree with itself',
      { path: '^sandbox/' },
      { path: '^(lib|app|components)/|^server\\.ts' },
    ),
    forbid(
      'sandbox-stands-alone',
      'The sandbox is a package of its own: what it ships imports its own files and packages, and nothing else of here',
      { path: '^sandbox/', pathNot: ['\\.test\\.ts$', '^sandbox/test/'] },
      { path: '/', pathNot: ['^sandbox/', 'node_modules/'], dependencyTypesNot: ['core'] },
    ),
    forbid(
      'packages-are-listed',
      'What runs in production imports packages that the nearest package.json lists under dependencies; another workspace’s only happen to be there',
      {
        path: '^(app|components|lib|sandbox)/|^(server|projector|live)\\.ts$',
        pathNot: [...code.pathNot, '^sandbox/test/'],
      },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    ),
    forbid(
      'dashboard-knows-no-sandbox',
      'The dashboard knows the contract, not this implementation',
      { path: '^(lib|app|components)/|^server\\.ts' },
      { path: '^sandbox/' },
    ),
    forbid(
      'browser-tests-stay-outside',
      "e2e knows pages, who may do what, and the sandbox's control interface",
      { path: '^e2e/' },
      { path: '^(lib/(?!domain/access/)|(app|components|sandbox)/)|^server\\.ts' },
    ),
    forbid(
      'components-beneath',
      'What stands beside the folders of components is made from these folders, which know nothing of it',
      { path: `^components/${beneath}/` },
      { path: '^components/[^/]+$' },
    ),
    forbid(
      'components-beside-the-folders',
      'What stands beside the folders of components is for several pages: it knows only the folders beneath it',
      { path: '^components/[^/]+$', ...code },
      { path: `^components/(?!${beneath}/)[^/]+/` },
    ),
    forbid('no-cycles', 'A cycle has no beginning to read from', {}, { circular: true }),
    {
      ...forbid(
        'no-folder-cycles',
        'Two folders that import each other have no beginning to read from: move what both need into a third',
        // Tests of lib call API routes, which would be a circle by way of the tests.
        { path: '^(app|components|sandbox)/.', pathNot: '^app/api/' },
        { circular: true },
      ),
      scope: 'folder',
    },
  ],
  required: [
    {
      name: 'lib-is-server-only',
      comment:
        'Every file of lib says that it is server code, but what the browser or a browser test shares (domain, labels, errors for operators) and the parts of the log, which a program may load before bin/hooks.mjs',
      severity: 'error',
      module: { path: '^lib/(?!domain/|labels/|log/|operator-error\\.ts|forms/action-state\\.ts)', ...code },
      to: { path: 'server-only' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^lib/db/generated/', '^sandbox/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
}
