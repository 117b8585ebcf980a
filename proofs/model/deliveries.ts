import { existing, secretOf } from './endpoints.ts'
import {
  type ExpectedOutcome,
  type Model,
  type ModelDelivery,
  type ModelEvent,
  type ModelUser,
  oneSecond,
} from './model.ts'
import { type ScriptedAnswer, scriptedAnswer } from './receivers.ts'

/** Lets time pass: whatever comes due on the way happens at its own time. */
export function letModelTimePass(model: Model, seconds: number): void {
  const target = model.now + seconds * oneSecond
  for (let due = nextDue(model); due && due.at <= target; due = nextDue(model)) {
    model.now = due.at
    due.happen()
  }
  model.now = target
}

function nextDue(model: Model): { at: number; happen(): void } | undefined {
  const bounces = model.bounces.map((bounce) => ({
    at: bounce.at,
    happen: () => reportBounceInModel(model, bounce),
  }))
  const retries = model.deliveries
    .filter(({ state }) => state === 'waiting')
    .map((delivery) => ({ at: delivery.dueAt, happen: () => attempt(model, delivery) }))
  return [...bounces, ...retries].toSorted((a, b) => a.at - b.at)[0]
}

/** §6: to each active endpoint whose subscribed_events contains the type, or that has none; first attempted at once. */
export function emitInModel(model: Model, event: ModelEvent): ExpectedOutcome {
  const wanting = existing(model).filter(
    ({ status, subscribedEvents }) =>
      status === 'active' && (!subscribedEvents || subscribedEvents.includes(event.type)),
  )
  for (const endpoint of wanting) {
    const delivery: ModelDelivery = { endpoint, event, state: 'waiting', dueAt: model.now, attempts: [] }
    model.deliveries.push(delivery)
    attempt(model, delivery)
  }
  return { status: 202, body: { deliveries: wanting.length } }
}

/** Whether an event was sent in this second: a mail may just have been reported as bounced. */
export const hasEmittedNow = (model: Model): boolean =>
  model.deliveries.some(({ attempts }) => attempts[0]?.at === model.now)

/** §6.8. Status, url and secret are those of this moment (§3.1, §5.5). ASSUMED: what stops stays stopped. */
function attempt(model: Model, delivery: ModelDelivery): void {
  const { endpoint, attempts } = delivery
  if (endpoint.status !== 'active') {
    delivery.state = 'stopped'
    return
  }
  model.requests++
  const number = attempts.length + 1
  const answer = scriptedAnswer(endpoint.url, number)
  attempts.push({ at: model.now, url: endpoint.url, secret: secretOf(endpoint), answer })
  if (isSuccess(model, answer)) {
    delivery.state = 'delivered'
    endpoint.lostInARow = 0
  } else if (number < 7) {
    delivery.dueAt = model.now + (number ** 6 + 2) * oneSecond
  } else {
    delivery.state = 'lost'
    endpoint.lostInARow++
    // ASSUMED: what leads to auto_disabled.
    if (endpoint.lostInARow === model.settings.autoDisableAfter) endpoint.status = 'auto_disabled'
  }
}

/** ASSUMED: which answers count, as an option. */
const isSuccess = ({ settings }: Model, answer: ScriptedAnswer) =>
  answer === 200 || (answer === 204 && settings.successStatuses === '2xx')

/** §6.6 */
function reportBounceInModel(model: Model, bounce: { user: ModelUser; at: number }): void {
  model.bounces = model.bounces.filter((other) => other !== bounce)
  emitInModel(model, { type: 'otpNotification', mark: `${bounce.user.email} at ${bounce.at}` })
}
