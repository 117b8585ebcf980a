import { z } from 'zod'
import * as deliveries from './endpoints.ts'
import { existing, secretOf } from './endpoints.ts'
import type { Model, ModelDelivery } from './model.ts'
import { expectSame, type ModelRun, momentOf, withNames } from './model-run.ts'

/** Time passes for both, and then what has happened so far is compared. */
export async function letTimePass(model: Model, world: ModelRun, seconds: number): Promise<void> {
  deliveries.letModelTimePass(model, seconds)
  const { body } = await world.sandbox.control('POST', '/clock/advance', { seconds })
  expectSame('clock', momentOf(world, body.now), model.now)
  await compareStates(model, world)
}

/** The comparison covers everything that can be seen without a change: endpoints, deliveries, and what was received. */
export async function compareStates(model: Model, world: ModelRun): Promise<void> {
  const found = await settled(model, world)
  const { body: endpoints } = await world.sandbox.control('GET', '/endpoints')
  expectSame(
    'endpoints',
    z
      .array(EndpointRowSchema)
      .parse(endpoints)
      .map((row) => withNames(world, row)),
    existing(model).map((endpoint) => ({
      uuid: endpoint.name,
      url: endpoint.url,
      subscribed_events: endpoint.subscribedEvents ?? null,
      status: endpoint.status,
      signing_secret: secretOf(endpoint),
    })),
  )
  expectSame(
    'deliveries',
    inOrder(found.map((delivery) => shownDelivery(world, delivery))),
    inOrder(model.deliveries.map(modelDelivery)),
  )
  expectSame('requests received', world.receivers.received.length, model.requests)
}

/** The promise settles when nothing due is left undone. */
async function settled(model: Model, world: ModelRun) {
  const began = Date.now()
  for (let pause = 2; ; pause = Math.min(pause * 2, 100)) {
    const { body } = await world.sandbox.control('GET', '/deliveries?limit=10000')
    const rows = z.array(DeliveryRowSchema).parse(body)
    const due = rows.filter(
      ({ next_attempt_at }) => next_attempt_at && momentOf(world, next_attempt_at) <= model.now,
    )
    if (due.length === 0) return rows
    expectSame('deliveries overdue', Date.now() - began < patienceMs ? 0 : due.length, 0)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Due deliveries may take this long, because a receiver that does not answer takes the time-out. */
const patienceMs = 10_000

const EndpointRowSchema = z.object({
  uuid: z.string(),
  url: z.string(),
  subscribed_events: z
    .array(z.string())
    .optional()
    .transform((types) => types ?? null),
  status: z.string(),
  signing_secret: z.string(),
})

const DeliveryRowSchema = z.object({
  endpoint_uuid: z.string(),
  state: z.string(),
  next_attempt_at: z.string().nullable(),
  envelope: z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) }),
  attempts: z.array(z.object({ url: z.string(), started_at: z.string(), status: z.number().nullable() })),
})

function shownDelivery(world: ModelRun, row: z.output<typeof DeliveryRowSchema>) {
  const endpoint = String(withNames(world, row.endpoint_uuid))
  const mark = markOf(world, row.envelope.data)
  return {
    endpoint,
    event: { type: row.envelope.type, mark },
    state: row.state,
    next: row.next_attempt_at && momentOf(world, row.next_attempt_at),
    attempts: row.attempts.map(({ url, started_at, status }) => ({
      at: momentOf(world, started_at),
      url: withNames(world, url),
      status,
    })),
    received: receivedBy(world, endpoint, mark),
  }
}

/** The list has what arrived for one event at one endpoint, in order, with its path and secret. */
function receivedBy(world: ModelRun, endpoint: string, mark: string) {
  const arrived = world.receivers.received.filter(
    ({ path, body }) =>
      path.split('/')[1] === endpoint.replace(' ', '-') && markOf(world, JSON.parse(body).data) === mark,
  )
  return arrived.map(({ path, authorization, body }) => ({
    url: path,
    secret: withNames(world, authorization.replace(/^API-Key /, '')),
    exact: body === (world.sent.get(mark) ?? body),
  }))
}

function modelDelivery({ endpoint, event, state, dueAt, attempts }: ModelDelivery) {
  return {
    endpoint: endpoint.name,
    event,
    state,
    next: state === 'waiting' ? dueAt : null,
    attempts: attempts.map(({ at, url, answer }) => ({
      at,
      url,
      status: typeof answer === 'number' ? answer : null,
    })),
    received: attempts.map(({ url, secret }) => ({ url, secret, exact: true })),
  }
}

/** Our events carry their mark. A bounced mail is known by its user and time. */
function markOf(world: ModelRun, data: Record<string, unknown>): string {
  if (typeof data.mark === 'string') return data.mark
  const email = withNames(world, String(data.emailAddress))
  return `${email} at ${momentOf(world, String(data.timestamp))}`
}

const inOrder = <Shown extends { endpoint: string; event: { mark: string } }>(deliveries: Shown[]) =>
  deliveries.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))

const keyOf = ({ endpoint, event }: { endpoint: string; event: { mark: string } }) =>
  `${endpoint} ${event.mark}`
