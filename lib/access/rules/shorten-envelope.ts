import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import { erasedText } from '#lib/deliveries/rules/erase-envelope.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import type { Json, JsonObject } from '#lib/deliveries/rules/json.ts'
import { fieldTree, foldedPaths, pickFields } from '#lib/deliveries/rules/summary.ts'
import { eventRules } from './event-fields.ts'

/**
 * The envelope of an event whose body leaves the log: the fields that the fold reads, the ids that it is found by, and whatever
 * pages show by name. A fold of it gives the same rows. Texts are cut where `textField` cuts them anyway.
 */
export function shortenEnvelope({ fields, data }: Envelope): JsonObject {
  return new Map<string, Json>([
    ...pickFields(fields, head),
    ...(data === null ? [] : [['data', pickFields(data, kept)] as const]),
  ])
}

/** The mark of an erasure stays: what was erased once is not erased again. */
const head = fieldTree(['type', 'subType', 'uuid', erasedText])

/** Every id of §6.3 is among them. */
const kept = fieldTree([
  ...new Set([...foldedPaths, ...eventTypes.flatMap((type) => Object.keys(eventRules(type).data))]),
])
