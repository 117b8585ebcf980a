import fs from 'node:fs'
import os from 'node:os'
import { defineConfig } from '@playwright/test'
import { rampartUrl } from './addresses.ts'
import { isProof } from './screens.ts'

const executablePath = process.env.CHROMIUM_PATH
const launch = { ...(executablePath ? { executablePath } : {}), ...inMemory() }
const args = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The demo's people sign in once for all tests that only look at pages. */
export const people = { name: 'people', testMatch: 'people.setup.ts', fullyParallel: true }

/**
 * These tests fill an installation with every scenario, change its settings, make the next call of anybody fail, or look at
 * somebody to whom nothing has happened yet.
 */
export const apart = [
  'alerts.spec.ts',
  'endpoints.spec.ts',
  'journey.spec.ts',
  'audit.spec.ts',
  'visibility.spec.ts',
  'fresh-forms.spec.ts',
]

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/pages',
  globalSetup: './start-rampart.ts',
  // Workers wait for the server as often as they compute.
  workers: os.availableParallelism() + 1,
  projects: [
    people,
    // The longest project comes first, so that no worker is idle at the end.
    {
      name: 'first-week',
      testMatch: 'first-week.spec.ts',
      dependencies: ['people'],
      // A passkey needs HTTPS. No browser knows the authority of its certificate.
      use: { launchOptions: { ...launch, args: [...args, '--ignore-certificate-errors'] } },
    },
    {
      name: 'pages',
      testMatch: '*.spec.ts',
      testIgnore: ['first-week.spec.ts', 'logs.spec.ts', ...apart],
      dependencies: ['people'],
      fullyParallel: true,
    },
    // This project reads the logs that all other projects caused.
    { name: 'logs', testMatch: 'logs.spec.ts', dependencies: ['first-week', 'pages'] },
  ],
  // These tests are for `slow.config.ts`.
  grepInvert: /@slow/,
  forbidOnly: true,
  // The result names tests that pass at the second try, and more than a few of those fail it.
  retries: 1,
  // The proof sees a dialog at all widths in one test.
  timeout: isProof ? 180_000 : 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json']],
  use: {
    baseURL: rampartUrl,
    // A trace is taken at the first retry, because recording each test costs a sixth of the runner's time.
    trace: isProof ? 'off' : 'on-first-retry',
    screenshot: 'only-on-failure',
    timezoneId: 'UTC',
    locale: 'en-GB',
    // Some builds of Chromium ask before a page may copy.
    permissions: ['clipboard-read', 'clipboard-write'],
    launchOptions: { ...launch, args },
  },
})

/** Playwright makes Chromium's processes share memory by files on the disk. Shared memory is faster where there is room. */
function inMemory() {
  const memory = '/dev/shm'
  if (!fs.existsSync(memory)) return {}
  const { bavail, bsize } = fs.statfsSync(memory)
  return bavail * bsize > 1024 ** 3 ? { ignoreDefaultArgs: ['--disable-dev-shm-usage'] } : {}
}
