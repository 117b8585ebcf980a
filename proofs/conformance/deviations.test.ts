import { describe, expect, it } from 'vitest'
import { deviate, deviations } from './deviations.ts'
import { contract } from './kit/contract.ts'

const known = contract.map(({ id }) => id)

describe.each(deviations)('$name', (deviation) => {
  it('has its place in the code, once', () => {
    expect(deviate(deviation)).toContain(deviation.instead)
  })

  it('breaks rules that there are', () => {
    expect(known).toEqual(expect.arrayContaining(deviation.breaks))
  })
})
