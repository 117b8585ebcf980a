import { expect, it } from 'vitest'
import { streamOf } from './stream-of.ts'

it('makes no more of a file than is taken, and ends its making when nobody takes it', async () => {
  let [made, ended] = [0, false]
  async function* portions() {
    try {
      for (;;) yield String(++made)
    } finally {
      ended = true
    }
  }
  const reader = streamOf(portions()).getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toBe('1')
  // One portion lies ready.
  expect(made).toBeLessThanOrEqual(2)
  await reader.cancel()
  expect(ended).toBe(true)
  expect(made).toBeLessThanOrEqual(2)
})
