import { defineConfig } from '@playwright/test'
import tests, { people } from './playwright.config.ts'

/** `npm run prove -- slow` runs the tests that are too slow for `npm test`. They have the tag `@slow`. */
export default defineConfig({
  ...tests,
  outputDir: '../test-results/slow',
  grepInvert: [],
  workers: 1,
  projects: [people, { name: 'slow', testMatch: '*.spec.ts', grep: /@slow/, dependencies: ['people'] }],
})
