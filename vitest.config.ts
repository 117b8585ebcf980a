import path from 'node:path'
import { defineConfig } from 'vitest/config'

const alias = { 'server-only': path.join(import.meta.dirname, 'test/server-only.ts') }
const exclude = ['**/node_modules/**', '**/.next/**', '**/.data/**', 'e2e/**']
/** Tests with a database, tests that start programs or take long, and tests of the built pages. */
const integration = '**/*.{db,process,slow}.test.ts'
const built = '**/*.built.test.ts'
/** Those that mostly wait for real time to pass: one after the other, they run beside the rest and hardly slow it. */
const waiting = [
  'lib/gaps/heartbeat.db.test.ts',
  'lib/ingest/{process-presence,receive}.db.test.ts',
  'lib/projector/time-limits.db.test.ts',
  'lib/sign-in/{lock-out,pre-hijack,sign-in-with-code}.db.test.ts',
  'sandbox/one-time-password/mail.db.test.ts',
]
/**
 * What is awaited comes at once on an idle machine; a busy one may take its time. What passes at the second try is
 * named in the result, as in the browser tests; more than a few of those fail it.
 */
const patient = { retry: 1, testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } }

export default defineConfig({
  resolve: { alias },
  test: {
    // Vitest leaves one core idle; much of the time is spent waiting anyway.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, integration, built],
          testTimeout: 20_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          include: [integration],
          exclude: [...exclude, ...waiting],
          globalSetup: ['test/global-postgres.ts'],
          ...patient,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'waiting',
          include: waiting,
          exclude,
          globalSetup: ['test/global-postgres.ts'],
          maxWorkers: 1,
          ...patient,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'built',
          include: [built],
          exclude,
          globalSetup: ['test/global-postgres.ts'],
          ...patient,
        },
      },
    ],
  },
})
