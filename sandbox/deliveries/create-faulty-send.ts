import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults } from '../state/faults.ts'
import { type DeliveryAnswer, type DeliveryRequest, send } from './send.ts'

/** A way to send that lets the faults that are on strike the deliveries to each endpoint. */
export function createFaultySend(faults: Faults) {
  const held = new Map<string, AbortController>()

  return async (endpoint: string, delivery: DeliveryRequest): Promise<DeliveryAnswer> => {
    const overtaken = held.get(endpoint)
    held.delete(endpoint)
    if (!overtaken && faults.consumeFault('reorder', { endpoint })) await holdBack(endpoint, delivery.stop)
    const answer = await send(delivery)
    overtaken?.abort()
    const duplicate = answer.kind === 'answered' && faults.consumeFault('duplicate', { endpoint })
    if (duplicate) void sendCopies(delivery, duplicate.times)
    return answer
  }

  /** Holds a delivery until the next one to the endpoint was sent, so that the two change places. */
  async function holdBack(endpoint: string, stop: AbortSignal) {
    const release = new AbortController()
    held.set(endpoint, release)
    const signal = AbortSignal.any([release.signal, stop])
    await sleep(maxHoldMs, undefined, { signal }).catch(endedEarly)
    if (held.get(endpoint) === release) held.delete(endpoint)
  }
}

/** The wait was broken off. */
const endedEarly = () => undefined

/** Real milliseconds that a delivery waits for another to overtake it; when none comes, it goes on its own. */
const maxHoldMs = 2_000

/** Sent one after the other. Their answers are ignored: the delivery has been answered already. */
async function sendCopies(delivery: DeliveryRequest, times: number) {
  for (let copy = 0; copy < times; copy++) await send(delivery)
}
