import pg from 'pg'
import { afterAll, expect } from 'vitest'
import { citusFaults } from './citus.ts'

// Every statement that `lib` sends in a test is held to the rules of Citus. Decision 0143.

/** These statements may break a rule, for a reason. */
const exceptions: readonly (readonly [file: string, why: string])[] = [
  [
    'lib/operations/retention/',
    'Citus refuses the removal of old subjects: it is not possible on a cluster yet',
  ],
  [
    'lib/people/erasure/',
    'Citus refuses the search of notes for a person: it is not possible on a cluster yet',
  ],
  ['lib/timeline/projector/lost-months.ts', 'Citus refuses it: bodies cannot be given up on a cluster yet'],
  [
    'lib/timeline/list-events.ts',
    'Citus refuses the filter by endpoint: the page says that something went wrong',
  ],
  ['lib/endpoints/', 'Citus takes these joins of the log with events: it reads one side first'],
]

declare global {
  var heldToCitus: { readonly seen: Set<string>; readonly faults: Set<string> } | undefined
}

function hold() {
  const held = { seen: new Set<string>(), faults: new Set<string>() }
  const query: unknown = pg.Client.prototype.query
  if (typeof query !== 'function') throw new Error('pg has no query')
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...words: readonly unknown[]) {
      note(words[0], held)
      return Reflect.apply(query, this, words)
    },
  })
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
  if (sender === null || exceptions.some(([file]) => sender.startsWith(file))) return
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
