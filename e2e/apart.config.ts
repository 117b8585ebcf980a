import { defineConfig } from '@playwright/test'
import tests, { people } from './playwright.config.ts'

/**
 * Tests that fill an installation with every scenario, or change its settings: on one of their own they neither disturb the
 * others, beside which they run, nor wait for them.
 */
export default defineConfig({
  ...tests,
  outputDir: '../test-results/apart',
  workers: 1,
  projects: [
    people,
    { name: 'visibility', testMatch: 'visibility.spec.ts', dependencies: ['people'] },
    // It changes settings that visibility reads.
    { name: 'fresh-forms', testMatch: 'fresh-forms.spec.ts', dependencies: ['visibility'] },
    { name: 'logs', testMatch: 'logs.spec.ts', dependencies: ['fresh-forms'] },
  ],
})
