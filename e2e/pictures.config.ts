import { defineConfig } from '@playwright/test'
import tests from './playwright.config.ts'

/** The README's pictures are taken in one browser, one after the other. */
export default defineConfig({
  ...tests,
  projects: [{ name: 'pictures', testMatch: 'pictures.ts' }],
  workers: 1,
  retries: 0,
  timeout: 180_000,
  reporter: 'list',
})
