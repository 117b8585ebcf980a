import { defineConfig } from '@playwright/test'
import { rampartUrl } from './addresses.ts'
import { isProof } from './screens.ts'

const executablePath = process.env.CHROMIUM_PATH
const launch = executablePath ? { executablePath } : {}
const args = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  globalSetup: './start-rampart.ts',
  workers: 2,
  projects: [
    // It mostly waits, and takes as long as the journey beside it: one after the other, a worker would be idle.
    {
      name: 'first-week',
      testMatch: 'first-week.spec.ts',
      // Behind HTTPS, as a passkey wants it, by an authority that no browser knows.
      use: { launchOptions: { ...launch, args: [...args, '--ignore-certificate-errors'] } },
    },
    // It asks for its codes before the pages need one sign-in each for three people.
    {
      name: 'journey',
      testMatch: ['journey.spec.ts', 'sign-up.spec.ts', 'wallets.spec.ts'],
    },
    { name: 'people', testMatch: 'people.setup.ts', dependencies: isProof ? [] : ['journey'] },
    {
      name: 'pages',
      testMatch: [
        'pages.spec.ts',
        'demo.spec.ts',
        'endpoints.spec.ts',
        'lists.spec.ts',
        'one-transaction.spec.ts',
        'overview.spec.ts',
        'fitting-lists.spec.ts',
        'filters.spec.ts',
        'search.spec.ts',
        'replays.spec.ts',
        'not-taken.spec.ts',
        'sign-ins.spec.ts',
        'users.spec.ts',
        'headers.spec.ts',
        'audit.spec.ts',
        'keyboard.spec.ts',
        'live.spec.ts',
        'languages.spec.ts',
        'sandbox-console.spec.ts',
        'bad-days.spec.ts',
        'sign-in-edges.spec.ts',
        'drafts.spec.ts',
        'weight.spec.ts',
      ],
      dependencies: ['people'],
      fullyParallel: true,
    },
    // It plays every scenario for people whom the other pages show, and so comes after them.
    { name: 'visibility', testMatch: 'visibility.spec.ts', dependencies: ['pages'] },
    // It changes settings that other tests read.
    { name: 'fresh-forms', testMatch: 'fresh-forms.spec.ts', dependencies: ['visibility'] },
    // It reads what all of them had the programs log.
    { name: 'logs', testMatch: 'logs.spec.ts', dependencies: ['fresh-forms'] },
  ],
  forbidOnly: true,
  // What passes at the second try is named in the result; more than a few of those fail it.
  retries: 1,
  // The proof sees a dialog at all widths in one test.
  timeout: isProof ? 180_000 : 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json']],
  use: {
    baseURL: rampartUrl,
    // A copy of the page before and after each step would cost more than most steps do.
    trace: { mode: isProof ? 'off' : 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    timezoneId: 'UTC',
    locale: 'en-GB',
    // Not every Chromium lets a page copy without asking.
    permissions: ['clipboard-read', 'clipboard-write'],
    launchOptions: { ...launch, args },
  },
})
