import { defineConfig } from 'vitest/config'

/** The project runs only the rules' own unit tests, without a database or a page. */
export default defineConfig({
  test: {
    include: ['lib/*/rules/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/fold-cost.test.ts'],
    isolate: false,
  },
})
