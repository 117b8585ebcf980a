import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventTypes as dashboardTypes } from '../../../lib/deliveries/rules/event-types.ts'
import { EventSchema } from '../../../sandbox/http/events.ts'
import { eventTypes as sandboxTypes } from '../../../sandbox/state/event-types.ts'
import { checks } from '../run.ts'
import { contract, eventTypes } from './contract.ts'

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

const [, inDocument = ''] =
  /values of `subscribed_events`[^:]*:([^.]*)\./.exec(fs.readFileSync('docs/contract.md', 'utf8')) ?? []
const places: Readonly<Record<string, readonly string[]>> = {
  'docs/contract.md': inDocument.match(/(?<=`)\w+(?=`)/g) ?? [],
  'lib/deliveries/rules/event-types.ts': dashboardTypes,
  'sandbox/state/event-types.ts': sandboxTypes,
  'sandbox/http/events.ts': EventSchema.options.map(({ shape }) => shape.type.value),
  'proofs/conformance/kit/contract.ts': eventTypes,
}
const named = new Set(Object.values(places).flat())

it.each(Object.entries(places))('%s names every event type', (_file, types) => {
  expect(types.toSorted()).toEqual([...named].toSorted())
})
