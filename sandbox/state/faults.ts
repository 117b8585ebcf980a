import { z } from '@hono/zod-openapi'
import { type Ids, UuidSchema } from './ids.ts'

/**
 * A fault makes something go wrong on purpose. Counts and selections are part of it; `next` limits it to the next n times.
 */
export type Fault = z.output<typeof FaultSchema>

export type FaultKind = Fault['kind']

/** `left` counts an active fault down to 0, where it disappears. It is null for a fault that stays on. */
export type ActiveFault = Fault & { id: string; left: number | null }

export interface Faults {
  add(fault: Fault): ActiveFault
  /** Faults are listed oldest first. */
  list(): ActiveFault[]
  /** The answer says whether the fault was on. */
  remove(id: string): boolean
  clear(): void
  /** The signal fires at the next `clear`, and ends what a fault began. */
  cleared(): AbortSignal
  /** The function picks the oldest fault of a kind that strikes here, and counts it as used. */
  consumeFault<Kind extends FaultKind>(
    kind: Kind,
    place: FaultTarget,
  ): Extract<ActiveFault, { readonly kind: Kind }> | undefined
}

/** A fault strikes a call (`path` is relative to the base address) or a delivery to an endpoint. */
export type FaultTarget = { method: string; path: string } | { endpoint: string }

/** Faults live in memory, so a restart ends them all. */
export function createFaults(ids: Ids): Faults {
  const active = new Map<string, ActiveFault>()
  let clearing = new AbortController()
  return {
    add(fault) {
      const added = { ...fault, id: ids.uuid('fault'), left: fault.next ?? null }
      active.set(added.id, added)
      return added
    },
    list: () => [...active.values()],
    remove: (id) => active.delete(id),
    clear() {
      active.clear()
      clearing.abort()
      clearing = new AbortController()
    },
    cleared: () => clearing.signal,
    consumeFault<Kind extends FaultKind>(kind: Kind, place: FaultTarget) {
      const applies = (fault: ActiveFault): fault is Extract<ActiveFault, { kind: Kind }> =>
        fault.kind === kind && concerns(fault, place)
      const fault = [...active.values()].find(applies)
      // No pause lies between finding and counting, so that concurrent calls never share one use.
      if (fault && fault.left !== null) {
        fault.left -= 1
        if (fault.left === 0) active.delete(fault.id)
      }
      return fault
    },
  }
}

function concerns(fault: Fault, place: FaultTarget) {
  if ('endpoint' in place)
    return !('endpoint' in fault && fault.endpoint && fault.endpoint !== place.endpoint)
  if ('method' in fault && fault.method && fault.method !== place.method) return false
  return !('path' in fault && fault.path) || place.path.startsWith(fault.path)
}

const next = z.number().int().min(1).max(1_000_000).optional()

const onDeliveries = { endpoint: UuidSchema.optional(), next }

const onCalls = {
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).optional(),
  /** The path begins with this text below the base address, such as `/merchant/webhook-endpoints`. */
  path: z
    .string()
    .startsWith('/')
    .max(2_048)
    .optional()
    .openapi({ pattern: '^/', example: '/merchant/webhook-endpoints' }),
  next,
}

export const FaultSchema = z
  .discriminatedUnion('kind', [
    z
      .strictObject({
        kind: z.literal('duplicate'),
        times: z.number().int().min(1).max(10).default(1),
        ...onDeliveries,
      })
      .describe('Each delivery that is answered is sent again, `times` times.')
      .openapi('DuplicateFault'),
    z
      .strictObject({ kind: z.literal('reorder'), ...onDeliveries })
      .describe('A delivery waits until the next one to its endpoint has overtaken it.')
      .openapi('ReorderFault'),
    z
      .strictObject({
        kind: z.literal('slow'),
        milliseconds: z.number().int().min(1).max(600_000).openapi({ example: 2_000 }),
        ...onCalls,
      })
      .describe("A call's answer comes this many real milliseconds later.")
      .openapi('SlowFault'),
    z
      .strictObject({ kind: z.literal('drop_answer'), ...onCalls })
      .describe('A call takes effect, but its connection ends without an answer.')
      .openapi('DropAnswerFault'),
    z
      .strictObject({
        kind: z.literal('fail'),
        status: z.number().int().min(400).max(599).openapi({ example: 503 }),
        ...onCalls,
      })
      .describe('A call is answered with this status, and nothing else happens.')
      .openapi('FailFault'),
    z
      .strictObject({ kind: z.literal('invalid_json'), ...onCalls })
      .describe("A call takes effect, but its answer's body ends in the middle.")
      .openapi('InvalidJsonFault'),
    z
      .strictObject({ kind: z.literal('deliver_before_answer'), next })
      .describe('A new endpoint receives an event before its creator learns its secret.')
      .openapi('DeliverBeforeAnswerFault'),
  ])
  .openapi('Fault')
