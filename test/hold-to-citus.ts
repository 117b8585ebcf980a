import pg from 'pg'
import { afterAll, expect } from 'vitest'
import { citusFaults } from './citus.ts'

// Every statement that `lib` sends in a test is held to the rules of Citus. Decision 0143.

declare global {
  var heldToCitus: { readonly seen: Set<string>; readonly faults: Set<string> } | undefined
}

function hold() {
  const held = { seen: new Set<string>(), faults: new Set<string>() }
  // A pool sends a statement later, when the stack does not show its sender any more.
  for (const prototype of [pg.Pool.prototype, pg.Client.prototype]) {
    const query: unknown = prototype.query
    if (typeof query !== 'function') throw new Error('pg has no query')
    Object.assign(prototype, {
      query(this: pg.Pool | pg.Client, ...words: readonly unknown[]) {
        note(words[0], held)
        return Reflect.apply(query, this, words)
      },
    })
  }
  return held
}

function note(given: unknown, { seen, faults }: NonNullable<typeof globalThis.heldToCitus>) {
  const text = textOf(given)
  if (text === null || seen.has(text)) return
  seen.add(text)
  if (!/^\s*(?:\(|SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(text)) return
  const broken = citusFaults(text)
  if (broken.length === 0) return
  const sender = senderOf(new Error().stack ?? '')
  if (sender === null) return
  faults.add(`${sender}: ${broken.join(', ')}: ${text}`)
}

const textOf = (given: unknown): string | null => {
  if (typeof given === 'string') return given
  return typeof given === 'object' && given !== null && 'text' in given && typeof given.text === 'string'
    ? given.text
    : null
}

/** The file of `lib` that sends it; null for a test's own statements and for the sandbox. */
function senderOf(stack: string): string | null {
  for (const line of stack.split('\n')) {
    const file = /\/((?:lib|test|sandbox|bin|proofs)\/[^:)]+)/.exec(line)?.[1]
    if (file === undefined || line.includes('node_modules') || file.startsWith('test/hold-to-citus')) continue
    if (/^lib\/platform\/db\/(pool|in-transaction|read-pools)\.ts/.test(file)) continue
    return file.startsWith('lib/') && !file.includes('.test.') ? file : null
  }
  return null
}

globalThis.heldToCitus ??= hold()

afterAll(() => {
  const faults = [...(globalThis.heldToCitus?.faults ?? [])]
  globalThis.heldToCitus?.faults.clear()
  expect(faults).toEqual([])
})
