import { expect, it } from 'vitest'
import { ChangeLog } from './change-log.ts'

function logFrom(position: string | null) {
  const log = new ChangeLog(position)
  log.add('a.5', ['x'])
  log.add('a.6', ['x', 'y'])
  log.add('a.8', ['z'])
  log.add('a.9', [])
  return log
}

it.each<[what: string, position: string | null, since: readonly string[] | 'anything']>([
  ['what came after the page was made', 'a.5', ['x', 'y', 'z']],
  ['all that the stream brought, where it begins', 'a.4', ['x', 'y', 'z']],
  ['nothing when it is as far', 'a.9', []],
  ['nothing when it is further than the stream: what is missing is still to come', 'a.12', []],
  ['that anything may have changed when it is older than the stream', 'a.3', 'anything'],
  ['that anything may have changed when another process made it', 'b.7', 'anything'],
  ['that anything may have changed when nobody knows how far it is', null, 'anything'],
])('gives a tab %s', (_what, position, since) => {
  expect(logFrom('a.4').since(position)).toEqual(since)
})

it('does not know the time before its first position', () => {
  const log = new ChangeLog(null)
  log.add(null, 'anything')
  expect(log.since('a.4')).toBe('anything')
  log.add('a.5', [])
  log.add('a.6', ['x'])
  expect(log.since('a.4')).toBe('anything')
  expect(log.since('a.5')).toEqual(['x'])
})

it('begins again with a process that was restarted', () => {
  const log = logFrom('a.4')
  log.add('b.2', 'anything')
  expect(log.since('a.9')).toBe('anything')
  expect(log.since('b.2')).toEqual([])
})

it('keeps a limited number, and reports anything before them', () => {
  const log = new ChangeLog('a.0')
  for (let count = 1; count <= 700; count++) log.add(`a.${count}`, [`${count}`])
  expect(log.since('a.100')).toBe('anything')
  expect(log.since('a.200')).toHaveLength(500)
})

it('reports anything to a tab that is behind a change without a position', () => {
  const log = logFrom('a.4')
  log.add(null, 'anything')
  expect(log.since('a.9')).toBe('anything')
  log.add('a.12', ['x'])
  expect(log.since('a.10')).toBe('anything')
  expect(log.since('a.12')).toEqual([])
})

it('reports anything when such a change came since', () => {
  const log = logFrom('a.4')
  log.add('a.10', 'anything')
  expect(log.since('a.9')).toBe('anything')
  expect(log.since('a.10')).toEqual([])
})
