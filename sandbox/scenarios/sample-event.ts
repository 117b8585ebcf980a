import type { Envelope } from '../state/event-types.ts'
import type { Ids } from '../state/ids.ts'
import { createRandom } from '../state/random.ts'
import type { EventPerson } from './bodies.ts'
import { scenarios } from './catalogue.ts'

/** An event of a type, as the first scenario that has one sends it about this person. */
export function sampleEvent(
  ids: Ids,
  type: Envelope['type'],
  person: EventPerson | undefined,
  now: Date,
): Envelope {
  const bare = { type, subType: 'statusUpdate', uuid: person?.uuid ?? ids.uuid('sample'), data: {} }
  if (!person) return bare
  const random = createRandom(ids.whole('sample', 2 ** 32))
  for (const scenario of scenarios) {
    const step = scenario.build(person, random, now).steps.find(({ envelope }) => envelope.type === type)
    if (step) return step.envelope
  }
  return bare
}
