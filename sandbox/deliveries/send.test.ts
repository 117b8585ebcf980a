import { describe, expect, it } from 'vitest'
import { isSuccess } from './send.ts'

describe('a delivery counts as successful', () => {
  it.each([
    ['2xx', [200, 201, 204, 299], [199, 300, 302, 404, 500]],
    ['200,204', [200, 204], [201, 202, 299, 302, 500]],
    ['302', [302], [200, 204, 303]],
  ])('with %s when it was answered %j, not when %j', (statuses, successes, failures) => {
    const counts = (status: number) => isSuccess({ kind: 'answered', status, body: '' }, statuses)
    expect(successes.map(counts)).toEqual(successes.map(() => true))
    expect(failures.map(counts)).toEqual(failures.map(() => false))
    expect(isSuccess({ kind: 'unanswered', failure: 'ECONNREFUSED' }, statuses)).toBe(false)
  })
})
