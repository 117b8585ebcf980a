import { defineConfig } from 'vitest/config'

/** The rules' own unit tests alone: no database, no page. */
export default defineConfig({
  test: {
    include: ['lib/*/rules/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/fold-cost.test.ts'],
    isolate: false,
  },
})
