import { afterAll, vi } from 'vitest'

// Unit tests share their modules and globals: after each file, what it put in their place is taken out again.
afterAll(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
  globalThis.rampartEnv = undefined
})
