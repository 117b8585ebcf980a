import assert from 'node:assert/strict'
import { type Check, inOperations } from '../kit/check.ts'
import type { CheckContext } from '../kit/check-context.ts'

/** §6.8, and its rows in §8. */
export const retryChecks: Check[] = [
  inOperations('6.8-1-seven-attempts', ['clock', 'receiver'], sevenAttempts),
  inOperations('6.8-2-waits', ['clock', 'receiver'], waitsBetweenAttempts),
  inOperations('6.8-3-then-never', ['clock', 'receiver'], async (world) => {
    const { attempted } = await playRetrySchedule(world)
    await world.control.advance(30 * 86_400)
    assert.equal(attempted(), 7, 'attempts a month later')
  }),
  inOperations('8-attempts', ['clock', 'receiver'], sevenAttempts),
  inOperations('8-delay', ['clock', 'receiver'], waitsBetweenAttempts),
]

async function sevenAttempts(world: CheckContext) {
  const { attempted } = await playRetrySchedule(world)
  assert.equal(attempted(), 7, 'attempts in a day')
}

async function waitsBetweenAttempts(world: CheckContext) {
  const { attempts } = await playRetrySchedule(world)
  for (const [n, wait] of [3, 66, 731, 4_098, 15_627, 46_658].entries()) {
    const [before, retry] = [attempts[n], attempts[n + 1]]
    if (!before || !retry) return assert.fail(`there is no retry ${n + 1}`)
    const ended = before.started_at.getTime() + before.duration_ms
    const waited = (retry.started_at.getTime() - ended) / 1_000
    assert.ok(waited > wait - 0.1 && waited < wait + 5, `${wait} s before retry ${n + 1}: ${waited} s`)
  }
}

/** An event that is answered 500 whenever it comes, over the day that the retry schedule takes. */
async function playRetrySchedule({ createEndpoint, startReceiver, sendEvent, control }: CheckContext) {
  const receiver = await startReceiver(() => 500)
  const { uuid } = await createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
  const event = await sendEvent()
  await control.advance(86_400)
  const deliveries = await control.deliveries(uuid)
  const delivery = deliveries.find(({ envelope }) => envelope.uuid === event.uuid)
  return { attempts: delivery?.attempts ?? [], attempted: () => receiver.about(event.uuid).length }
}
