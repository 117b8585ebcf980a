/**
 * Each area is a folder of `lib`, with a folder of `components` of the same name if people see anything of it
 * (`components/ui` for `platform`). It may use the areas of its line, which are all above it; everything may use
 * pure code. `packages` are those beside `server-only`. `.dependency-cruiser.mjs` makes rules of each line, and
 * `test/boundaries.process.test.ts` fails for a line that allows what nobody imports.
 */
export const areas = [
  {
    area: 'platform',
    what: 'database, HTTP, keys, limits, mail, settings, the log; formats of text',
    may: [],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/core',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      'next',
      'nodemailer',
      'pg',
      'pino',
      'prom-client',
      '@prisma/adapter-pg',
      'rate-limiter-flexible',
      're2js',
      'uuidv7',
      'zod',
    ],
  },
  {
    area: 'words',
    what: 'general labels and formats, and the catalogues of what customers read in five languages',
    may: [],
    packages: ['@formatjs/icu-messageformat-parser', 'icu-minify'],
  },
  { area: 'access', what: 'roles, permissions, visible fields; the caller of a use case', may: ['platform'] },
  {
    area: 'audit',
    what: 'the audit trail, its export, export tickets, notices to admins',
    may: ['platform', 'access'],
    packages: ['pg', 'uuidv7', 'zod'],
  },
  { area: 'service', what: 'the typed client of the service', may: ['platform'], packages: ['zod'] },
  {
    area: 'identity',
    what: 'sign-in, sessions, passkeys, single sign-on, links, members, the directory of users',
    may: ['platform', 'access', 'audit', 'service'],
    packages: [
      'jose',
      'next',
      'next-auth',
      'openid-client',
      'pg',
      'react',
      '@simplewebauthn/server',
      'uuidv7',
      'viem',
      'zod',
    ],
  },
  {
    area: 'deliveries',
    what: 'a delivery from the socket to the log and the queue; receivers',
    may: ['platform'],
    packages: ['pg', 'uuidv7'],
  },
  {
    area: 'timeline',
    what: 'queue → events, transactions, statuses, identifiers; the timeline pages',
    may: ['platform', 'access', 'audit', 'identity', 'deliveries'],
    packages: ['pg', 'zod'],
  },
  {
    area: 'transactions',
    what: 'transaction lists and pages, notes, revealed values',
    may: ['platform', 'access', 'audit', 'service', 'identity', 'timeline'],
    packages: ['pg', 'uuidv7', 'zod'],
  },
  {
    area: 'endpoints',
    what: 'webhook endpoints, gaps, replays, the API key',
    may: ['platform', 'access', 'audit', 'service', 'identity', 'deliveries', 'timeline', 'transactions'],
    packages: ['pg', 'uuidv7', 'zod'],
  },
  {
    area: 'search',
    what: 'the search for anything pasted',
    may: ['platform', 'access', 'audit', 'identity', 'timeline', 'transactions', 'endpoints'],
    packages: ['pg', 'uuidv7', 'zod'],
  },
  {
    area: 'people',
    what: 'people, their accounts and companies, import, erasure, the customers’ own pages',
    may: ['platform', 'access', 'audit', 'service', 'identity', 'timeline', 'transactions', 'search'],
    packages: ['pg', 'uuidv7', 'zod'],
  },
  {
    area: 'operations',
    what: 'overview, alerts, settings, status, retention, dead letters, restore, the demo',
    may: [
      'platform',
      'words',
      'access',
      'audit',
      'service',
      'identity',
      'deliveries',
      'timeline',
      'transactions',
      'endpoints',
      'search',
      'people',
    ],
    packages: ['pg', 'standardwebhooks', 'uuidv7', 'zod'],
  },
  {
    area: 'live',
    what: 'the live stream of changes',
    may: ['platform', 'access', 'identity', 'operations'],
    packages: ['pg'],
  },
].map(({ packages = [], ...area }) => ({ ...area, packages: ['server-only', ...packages] }))

/**
 * Pure code (`rules`, `labels`, `messages`) has no database, no clock and no environment. Everything may import it,
 * also the browser.
 */
export const pure = '^lib/[^/]+/(rules|labels|messages)/'
