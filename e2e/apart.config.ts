import { defineConfig } from '@playwright/test'
import tests, { people } from './playwright.config.ts'

/**
 * These tests run one after the other on an installation of their own. They neither disturb the other tests, which run
 * beside them, nor wait for them.
 */
export default defineConfig({
  ...tests,
  outputDir: '../test-results/apart',
  workers: 1,
  projects: [
    people,
    { name: 'first', testMatch: ['journey.spec.ts', 'audit.spec.ts'], dependencies: ['people'] },
    { name: 'visibility', testMatch: 'visibility.spec.ts', dependencies: ['first'] },
    // These files change settings that visibility reads.
    { name: 'alerts', testMatch: 'alerts.spec.ts', dependencies: ['visibility'] },
    { name: 'fresh-forms', testMatch: 'fresh-forms.spec.ts', dependencies: ['alerts'] },
    { name: 'endpoints', testMatch: 'endpoints.spec.ts', dependencies: ['fresh-forms'] },
    { name: 'logs', testMatch: 'logs.spec.ts', dependencies: ['endpoints'] },
  ],
})
