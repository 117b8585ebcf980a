import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const alias = { 'server-only': path.join(import.meta.dirname, 'test/server-only.ts') }
const exclude = ['**/node_modules/**', '**/.next/**', '**/.data/**', 'e2e/**']
/**
 * The names of tests say their kind: tests with a database, tests that start programs, tests of the built pages, and tests
 * that are too slow for `npm test`, which `npm run prove -- slow` runs.
 */
const integration = '**/*.{db,process}.test.ts'
const built = '**/*.built.test.ts'
const slow = '**/*.slow.test.ts'
/** A test waits long enough for a busy machine; an idle one answers at once. There is one try (decision 0054). */
const patient = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } }
/** Files that wait for time to pass, beside as many that work, keep the processors busy. */
const withWaits = { maxWorkers: os.availableParallelism() + 2 }
/** These small files take longest. They begin first, so that no worker is idle at the end. */
const slowest = /(?:supervise|documents|every-input|odd-names)\.built\.test\.ts$/
/** Loading the same modules for each file anew took most of the time. */
const shared = { isolate: false, setupFiles: ['test/reset-process.ts'] }

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isSlow = ({ moduleId }: TestSpecification) => Number(slowest.test(moduleId))
    return (await super.sort(files)).toSorted((one, other) => isSlow(other) - isSlow(one))
  }
}

export default defineConfig({
  resolve: { alias },
  test: {
    // Vitest leaves one core idle by default.
    maxWorkers: '100%',
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, integration, built, slow],
          ...shared,
          ...patient,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          include: [integration],
          exclude,
          ...shared,
          setupFiles: [...shared.setupFiles, 'test/hold-to-citus.ts'],
          // Prisma makes much garbage that is young.
          execArgv: ['--min-semi-space-size=64'],
          globalSetup: ['test/global-postgres.ts'],
          ...withWaits,
          ...patient,
        },
      },
      ...[
        { name: 'built', include: [built] },
        { name: 'slow', include: [slow] },
      ].map((one) => ({
        resolve: { alias },
        test: { ...one, exclude, globalSetup: ['test/global-postgres.ts'], ...withWaits, ...patient },
      })),
    ],
  },
})
