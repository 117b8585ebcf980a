/** Packages that code of any area may use on the server. */
const everywhere = ['server-only', 'pg', 'uuidv7', 'zod']

/**
 * The areas, and which may use which. An area is a folder of `lib` and, where people see something of it, the folder of
 * `components` of the same name; the components of `platform` are in `components/ui`. An area names only areas above it.
 * Pure code (`rules`, `labels`, `messages`) of every area may be used from everywhere, so it is not listed. `packages` are
 * those beside the ones that every area may use. `.dependency-cruiser.mjs` makes rules of each line; a line that allows what
 * nobody imports fails `test/boundaries.process.test.ts`.
 */
export const areas = [
  {
    area: 'platform',
    what: 'database, HTTP, keys, limits, mail, settings, the log; formats of text',
    may: [],
    packages: ['@prisma/adapter-pg', 'nodemailer', 'pino', 'rate-limiter-flexible', 're2js'],
  },
  {
    area: 'words',
    what: 'general labels and formats, and the catalogues of what customers read in five languages',
    may: ['platform'],
    packages: ['@formatjs/icu-messageformat-parser', 'icu-minify'],
  },
  { area: 'access', what: 'roles, permissions, visible fields; the caller of a use case', may: ['platform'] },
  {
    area: 'audit',
    what: 'the audit trail, its export, export tickets, notices to admins',
    may: ['platform', 'access'],
  },
  { area: 'service', what: 'the typed client of the service', may: ['platform'] },
  {
    area: 'identity',
    what: 'sign-in, sessions, passkeys, single sign-on, links, members, the directory of users',
    may: ['platform', 'words', 'access', 'audit', 'service'],
    packages: ['@simplewebauthn/server', 'jose', 'next', 'next-auth', 'openid-client', 'react', 'viem'],
  },
  {
    area: 'deliveries',
    what: 'a delivery from the socket to the log and the queue; receivers',
    may: ['platform', 'service'],
  },
  {
    area: 'timeline',
    what: 'queue → events, transactions, statuses, identifiers; the timeline pages',
    may: ['platform', 'access', 'audit', 'identity', 'deliveries'],
  },
  {
    area: 'transactions',
    what: 'transaction lists and pages, notes, revealed values',
    may: ['platform', 'access', 'audit', 'service', 'identity', 'timeline'],
  },
  {
    area: 'endpoints',
    what: 'webhook endpoints, gaps, replays, the API key',
    may: ['platform', 'access', 'audit', 'service', 'identity', 'deliveries', 'timeline', 'transactions'],
  },
  {
    area: 'search',
    what: 'the search for anything pasted',
    may: ['platform', 'access', 'audit', 'identity', 'timeline', 'transactions', 'endpoints'],
  },
  {
    area: 'people',
    what: 'people, their accounts and companies, import, erasure, the customers’ own pages',
    may: ['platform', 'access', 'audit', 'service', 'identity', 'timeline', 'transactions', 'search'],
  },
  {
    area: 'operations',
    what: 'overview, settings, status, retention, dead letters, restore, the demo',
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
  },
  { area: 'live', what: 'the live stream of changes', may: ['platform', 'access', 'identity', 'operations'] },
].map(({ packages = [], ...area }) => ({ ...area, packages: [...everywhere, ...packages] }))

/** Pure code: no database, no clock, no environment. Everything may import it, also the browser. */
export const pure = '^lib/[^/]+/(rules|labels|messages)/'
