import { defineConfig } from '@playwright/test'
import tests, { people } from './playwright.config.ts'

/**
 * One after the other on an installation of their own, these tests neither disturb the others, beside which they run, nor wait
 * for them.
 */
export default defineConfig({
  ...tests,
  outputDir: '../test-results/apart',
  workers: 1,
  projects: [
    people,
    { name: 'first', testMatch: ['journey.spec.ts', 'audit.spec.ts'], dependencies: ['people'] },
    { name: 'visibility', testMatch: 'visibility.spec.ts', dependencies: ['first'] },
    // It changes settings that visibility reads.
    { name: 'fresh-forms', testMatch: 'fresh-forms.spec.ts', dependencies: ['visibility'] },
    { name: 'logs', testMatch: 'logs.spec.ts', dependencies: ['fresh-forms'] },
  ],
})
