import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { captureLog } from '../../../test/log.ts'
import { configure } from '../../../test/service.ts'
import { forgetHeldBack } from '../log/limited.ts'
import { markOrigin, refusalOfOrigin } from './own-origin.ts'

const own = 'https://dash.example.com:8443'
beforeAll(() => configure({ PUBLIC_URL: own }))

let logged: ReturnType<typeof captureLog>
beforeEach(() => {
  forgetHeldBack()
  logged = captureLog()
})
afterEach(() => logged.stop())

const ours: Record<string, string>[] = [
  { origin: own },
  { origin: 'HTTPS://DASH.Example.com:8443' },
  { 'sec-fetch-site': 'same-origin' },
  { origin: '', 'sec-fetch-site': 'same-origin' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
]
const others: [why: string, Record<string, string>][] = [
  ['another', { origin: 'https://dash.example.com' }],
  ['another', { origin: 'http://dash.example.com:8443' }],
  ['another', { origin: 'https://dash.example.com.evil.example:8443' }],
  ['another', { origin: `${own}, https://evil.example` }],
  ['another', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
  ['another', { origin: 'null' }],
  ['another', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['another', { origin: 'null', 'sec-fetch-site': 'same-site' }],
  ['another', { origin: 'another://dash.example.com:8443/' }],
  ['removed', { origin: 'removed://dash.example.com:8443/' }],
  ['removed', {}],
  ['removed', { 'sec-fetch-site': 'same-site' }],
  ['removed', { origin: '', 'sec-fetch-site': 'none' }],
]

describe('a request of', () => {
  it.each(ours)('our own pages is accepted for %j, whatever received it', (given) => {
    expect(refusalOfOrigin(new Headers(given))).toBeNull()
    const marked = { ...given }
    markOrigin(marked)
    expect(marked.origin).toBe(own)
    expect(logged.lines).toEqual([])
  })

  it.each(others)('%s is refused for %j, and Next finds its own host in it', (why, given) => {
    const refusal = refusalOfOrigin(new Headers(given))
    const next = refusal && wordRefusal('en', refusal).next
    expect(next).toContain(own)
    expect(next?.includes('proxy removes the Origin')).toBe(why === 'removed')
    const marked: Record<string, string> = { ...given }
    for (let times = 0; times < 3; times++) {
      markOrigin(marked)
      expect(new URL(marked.origin ?? '').host).toBe(new URL(own).host)
      expect(refusalOfOrigin(new Headers(marked))).toEqual(refusal)
    }
    expect(logged.lines).toMatchObject([{ level: 'warn', component: 'proxy', cause: why, publicUrl: own }])
  })
})
