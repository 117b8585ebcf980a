import { defineConfig } from '@playwright/test'
import { rampartUrl } from './addresses.ts'

const executablePath = process.env.CHROMIUM_PATH

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  globalSetup: './start-rampart.ts',
  // One server with one database: the tests keep to people and transactions of their own.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json']],
  use: {
    baseURL: rampartUrl,
    trace: 'retain-on-failure',
    timezoneId: 'UTC',
    locale: 'en-GB',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
