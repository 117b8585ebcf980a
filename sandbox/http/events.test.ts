import { expect, it } from 'vitest'
import { sampleEvent, scenarios } from '../scenarios/catalogue.ts'
import { eventTypes } from '../state/event-types.ts'
import { createIds, createRandom } from '../state/ids.ts'
import { EventSchema } from './events.ts'

const person = {
  uuid: '7a9f1a52-6a5c-4b8e-9d1e-0c1a2b3c4d5e',
  email: 'ana@demo.test',
  first_name: 'Ana',
  last_name: 'Ruiz',
  country: 'ES',
  target_address: null,
}

it.each(scenarios)('each event of $name is one that the document has, with no field beyond', ({ build }) => {
  for (let seed = 1; seed <= 20; seed++)
    for (const { envelope } of build(person, createRandom(seed), new Date('2026-11-20T12:00:00Z')).steps)
      expect(EventSchema.parse(envelope)).toEqual(envelope)
})

it.each(eventTypes)('the sample of %s is one that the document has, also without a user', (type) => {
  for (const about of [person, undefined]) {
    const sample = sampleEvent(createIds(), type, about, new Date('2026-11-20T12:00:00Z'))
    expect(EventSchema.parse(sample)).toEqual(sample)
    expect(sample.type).toBe(type)
  }
})
