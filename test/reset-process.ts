import { afterAll, vi } from 'vitest'
import { forgetHeldBack } from '#lib/platform/log/limited.ts'

// Test files share their modules and globals: after each file, what it put in their place is taken out again, and what it left
// open is closed. State that a module keeps stands in a `rampart…` global or under the pool or settings that it belongs to.
afterAll(async () => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
  forgetHeldBack()
  await globalThis.rampartListener?.close()
  // Whoever kept one of its connections would hold everybody up.
  for (const pool of [globalThis.rampartPool, globalThis.rampartReplica])
    if (pool && !pool.ended) void pool.end()
  void globalThis.rampartPoolByIndex?.end()
  for (const name of Object.keys(globalThis))
    if (name.startsWith('rampart')) Reflect.deleteProperty(globalThis, name)
})
