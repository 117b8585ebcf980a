// Who may import whom. Each rule is proven by a planted violation in test/boundaries.process.test.ts.
const code = { pathNot: ['\\.test\\.ts$', '^lib/db/generated/'] }
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

export default {
  forbidden: [
    forbid(
      'domain-is-pure',
      'lib/domain imports nothing but lib/domain',
      { path: '^lib/domain/', ...code },
      { pathNot: '^lib/domain/' },
    ),
    forbid(
      'client-is-thin',
      'lib/service imports zod, server-only, lib/domain and what Node brings; no framework',
      { path: '^lib/service/', ...code },
      {
        pathNot: ['^lib/(service|domain)/', 'node_modules/(zod|server-only)/'],
        dependencyTypesNot: ['core'],
      },
    ),
    forbid(
      'ingest-steps-apart',
      'Steps of ingest do not know each other; only the file that owns the flow calls them',
      { path: '^lib/ingest/(verify|store)[^/]*\\.ts$', ...code },
      { path: '^lib/ingest/(receive|verify|store)\\.ts$' },
    ),
    forbid(
      'ingest-stands-alone',
      'Ingest imports neither the service client nor use cases',
      { path: '^lib/ingest/', ...code },
      { path: '^lib/', pathNot: '^lib/(ingest|queue|domain|db|log/|(env|log)\\.ts)' },
    ),
    forbid(
      'pages-use-use-cases',
      'app imports use cases, auth, the ingest entry, domain types and components; never the database or the client',
      { path: '^app/', ...code },
      { path: ['^lib/(db|service|projector|queue)/', '^lib/ingest/(?!web-http\\.ts)'] },
    ),
    forbid(
      'components-stay-in-the-browser',
      'components import the domain and components. Types of what use cases answer are erased and may be named',
      { path: '^components/', ...code },
      { path: ['^lib/(?!domain/)', '^app/', '^server\\.ts'], dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'no-framework-in-lib',
      'next and react do not occur in lib, lib/auth aside',
      { path: '^lib/(?!auth/)', ...code },
      { path: 'node_modules/(next|next-auth|react|react-dom)/' },
    ),
    forbid(
      'sandbox-knows-no-dashboard',
      'A fake made from its client could only agree with itself',
      { path: '^sandbox/', pathNot: '^sandbox/conformance/' },
      // How a line of the log looks says nothing of the contract.
      { path: '^(lib|app|components)/|^server\\.ts', pathNot: '^lib/log/' },
    ),
    forbid(
      'dashboard-knows-no-sandbox',
      'The dashboard knows the contract, not this implementation',
      { path: '^(lib|app|components)/|^server\\.ts' },
      { path: '^sandbox/' },
    ),
    forbid(
      'browser-tests-stay-outside',
      "e2e knows pages and the sandbox's control interface",
      { path: '^e2e/' },
      { path: '^(lib|app|components|sandbox)/|^server\\.ts' },
    ),
    forbid('no-cycles', 'A cycle has no beginning to read from', {}, { circular: true }),
  ],
  required: [
    {
      name: 'lib-is-server-only',
      comment:
        'Every file of lib outside domain, and of the log outside what the sandbox shares, says that it is server code',
      severity: 'error',
      module: { path: '^lib/(?!domain/|log/)', ...code },
      to: { path: 'server-only' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^lib/db/generated/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['import', 'require', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
}
