import { describe, expect, it } from 'vitest'
import { checks } from '../checks.ts'
import { contract } from './contract.ts'

const checked = checks.map(({ id }) => id)

describe('the contract', () => {
  it('has a check for each of its rules', () => {
    expect(contract.map(({ id }) => id).filter((id) => !checked.includes(id))).toEqual([])
  })

  it('knows the rule of each check', () => {
    const known = new Set(contract.map(({ id }) => id))
    expect(checked.filter((id) => !known.has(id))).toEqual([])
  })

  it('has no rule that is checked twice', () => {
    expect(checked.filter((id, index) => checked.indexOf(id) !== index)).toEqual([])
  })

  it('says where each rule stands', () => {
    for (const { id, section } of contract) {
      expect(id).toMatch(/^\d(\.\d)?-[A-Za-z0-9_-]+$/)
      expect(section).toMatch(/^[1-9](\.\d)?$/)
    }
  })
})
