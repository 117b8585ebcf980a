import { areas, pure } from './boundaries.mjs'

// The rules say what may import what. A planted violation in test/boundaries.process.test.ts proves each kind of
// rule.
const code = { pathNot: ['\\.test\\.tsx?$', '^lib/platform/db/generated/'] }
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const either = (names) => `(${names.join('|')})`
/** All other components are made of the components of `platform`. */
const shownIn = (names) => either(names.map((name) => (name === 'platform' ? 'ui' : name)))
const list = (names) => names.join(', ') || 'nothing'

const areaRules = areas.flatMap(({ area, what, may, packages }) => [
  forbid(
    `${area} imports`,
    `lib/${area} (${what}) may import these areas: ${list(may)}. Move what is shared into one of these, pass it in as an argument, or, where boundaries.mjs is wrong, add it there`,
    { path: `^lib/${area}/`, ...code },
    {
      path: '^(lib|app|components|bin|proofs|test)/|^(server|projector)\\.ts$',
      pathNot: [`^lib/${either([area, ...may])}/`, pure],
    },
  ),
  forbid(
    `${area} shows`,
    `components/${area} may import the components of these areas: ${list(may)}, and components/ui`,
    { path: `^components/${shownIn([area])}/`, ...code },
    { path: '^components/', pathNot: `^components/${shownIn([area, 'platform', ...may])}/` },
  ),
  forbid(
    `${area} packages`,
    `lib/${area} (${what}) may use these packages: ${list(packages)}. A new one is a line in boundaries.mjs, and a reason in docs/decisions/0009-libraries.md`,
    { path: `^lib/${area}/`, ...code },
    { path: 'node_modules/', pathNot: packages.map((name) => `node_modules/(@types/)?${name}/`) },
  ),
])

export default {
  forbidden: [
    ...areaRules,
    forbid(
      'file-has-an-area',
      'Every folder of lib and of components is an area of boundaries.mjs, which says what it is and what it may import',
      {
        path: '^(lib|components)/',
        pathNot: [
          `^lib/${either(areas.map(({ area }) => area))}/`,
          `^components/${shownIn(areas.map(({ area }) => area))}/`,
        ],
      },
      {},
    ),
    forbid(
      'rules-are-pure',
      'Rules import nothing but rules, of whatever area',
      { path: '^lib/[^/]+/rules/', ...code },
      { pathNot: '^lib/[^/]+/rules/' },
    ),
    forbid(
      'labels-are-pure',
      'Labels import rules and labels, and what compiles the messages of customers',
      { path: '^lib/[^/]+/(labels|messages)/', ...code },
      { pathNot: [pure, 'node_modules/icu-minify/'] },
    ),
    forbid(
      'ingest-steps-apart',
      'Steps of ingest do not know each other; only the file that owns the flow calls them',
      { path: '^lib/deliveries/ingest/(verify|store)[^/]*\\.ts$', ...code },
      { path: '^lib/deliveries/ingest/(receive|verify-secret|store)\\.ts$' },
    ),
    forbid(
      'pages-use-use-cases',
      'app imports use cases, auth, the ingest entry, domain types and components; never the database or the client',
      { path: '^app/', ...code },
      {
        path: [
          '^lib/(platform/db|service|timeline/projector|deliveries/queue)/',
          '^lib/deliveries/ingest/(?!web-http\\.ts)',
        ],
      },
    ),
    forbid(
      'components-stay-in-the-browser',
      'components import rules, labels and components. Types of what use cases answer are erased and may be named',
      { path: '^components/', ...code },
      {
        path: [
          `^lib/(?!${pure.slice('^lib/'.length)}|platform/forms/action-state\\.ts)`,
          '^app/',
          '^server\\.ts',
        ],
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
      { path: '^(lib/(?!access/rules/)|(app|components|sandbox)/)|^server\\.ts' },
    ),
    forbid('no-cycles', 'A cycle has no beginning to read from', {}, { circular: true }),
    {
      ...forbid(
        'no-folder-cycles',
        'Two folders that import each other have no beginning to read from: move what both need into a third',
        // Tests of lib call API routes, which would be a cycle through the tests.
        { path: '^(app|sandbox)/.', pathNot: '^app/api/' },
        { circular: true },
      ),
      scope: 'folder',
    },
  ],
  required: [
    {
      name: 'lib-is-server-only',
      comment:
        'Every file of lib says that it is server code, but what the browser or a browser test shares (rules, labels, errors for operators) and the parts of the log, which a program may load before bin/hooks.mjs',
      severity: 'error',
      module: {
        path: `^lib/(?!${pure.slice('^lib/'.length)}|platform/(log/|operator-error\\.ts|forms/action-state\\.ts))`,
        ...code,
      },
      to: { path: 'server-only' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^lib/platform/db/generated/', '^sandbox/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
}
