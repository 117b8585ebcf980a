import path from 'node:path'
import { defineConfig } from 'vitest/config'

const alias = { 'server-only': path.join(import.meta.dirname, 'test/server-only.ts') }
const exclude = ['**/node_modules/**', '**/.next/**', '**/.data/**', 'e2e/**']

export default defineConfig({
  resolve: { alias },
  test: {
    // Vitest leaves one core idle; much of the time is spent waiting anyway.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, '**/*.db.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          include: ['**/*.db.test.ts'],
          exclude,
          globalSetup: ['test/global-postgres.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
