import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'

/** Asks every 50 ms until the answer is yes, for so many seconds at most. Answers whether it came. */
export async function waitUntil(ask: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const deadline = performance.now() + seconds * 1_000
  while (!(await ask())) {
    if (performance.now() > deadline) return false
    await sleep(50)
  }
  return true
}
