import { afterAll, vi } from 'vitest'
import { forgetHeldBack } from '#lib/platform/log/limited.ts'

// Test files share their modules and globals. After each file its replacements are undone and what it left open is closed. A
// module keeps state in a `rampart…` global, or under the pool or settings to which it belongs.
afterAll(async () => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
  forgetHeldBack()
  await globalThis.rampartListener?.close()
  // A kept connection would delay every other test.
  for (const pool of [globalThis.rampartPool, globalThis.rampartReplica])
    if (pool && !pool.ended) void pool.end()
  void globalThis.rampartPoolByIndex?.end()
  for (const name of Object.keys(globalThis))
    if (name.startsWith('rampart')) Reflect.deleteProperty(globalThis, name)
})
