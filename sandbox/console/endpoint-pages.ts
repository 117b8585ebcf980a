import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { z } from 'zod'
import { knock } from '../control/fault-routes.ts'
import { findEndpoints } from '../control/search.ts'
import { type DeliveryView, listDeliveries } from '../control/state-routes.ts'
import { maxAttempts } from '../deliveries/retry-schedule.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { badRequest } from '../service/refusal.ts'
import {
  autoDisableEndpoint,
  EndpointRowSchema,
  requireEndpoint,
  type WebhookEndpoint,
} from '../service/webhook-endpoints.ts'
import { eventTypes } from '../state/event-types.ts'
import { UuidSchema } from '../state/ids.ts'
import { renderPage } from './page.ts'
import {
  type BadgeVariant,
  badge,
  durationText,
  type Markup,
  option,
  readForm,
  shortIdMarkup,
  timeElement,
} from './pieces.ts'

/** The pages show the endpoints, and each delivery with its attempts, their answers and the next wait. */
export function endpointPages(sandbox: SandboxWithLoad) {
  const { pool, clock } = sandbox
  const router = new Hono()

  router.get('/', async (context) => {
    const query = QuerySchema.parse(context.req.query())
    const { endpoints, total } = await findEndpoints(pool, query, mostEndpoints)
    const chosen = query.endpoint
      ? (await findEndpoints(pool, { text: query.endpoint }, 1)).endpoints[0]
      : (endpoints.find(({ status }) => status === 'active') ?? endpoints[0])
    const deliveries = chosen ? await listDeliveries(pool, chosen.uuid, shownAtMost) : []
    return renderPage(context, sandbox, {
      title: 'Endpoints',
      path: '/endpoints',
      refreshes: true,
      body: html`<h1>Webhook endpoints</h1>
<p class="sub">Where the service sends its events. A delivery is attempted at most ${maxAttempts} times, retry n after n⁶ + 2 seconds.</p>
${filterForm(query)}
<div class="card">${
        endpoints.length === 0
          ? html`<p class="empty">${isFiltered(query) ? html`No endpoint fits. <a href="/endpoints">Show all</a>` : 'No endpoints yet. They are created in the dashboard or with POST /merchant/webhook-endpoints.'}</p>`
          : html`<ul class="tall" tabindex="0" aria-label="Endpoints">${endpoints.map((endpoint) => endpointRow(endpoint, endpoint.uuid === chosen?.uuid, query))}</ul>`
      }</div>
${total > endpoints.length ? html`<p class="muted">The newest ${endpoints.length} of ${total.toLocaleString('en')} are shown. Filter to find the others.</p>` : ''}
${chosen ? deliveryList(chosen, deliveries, query.knocked, clock.now()) : ''}`,
    })
  })

  router.post('/auto-disable', async (context) => {
    const { uuid } = await chosenIn(context)
    await autoDisableEndpoint(pool, uuid)
    return context.redirect(`/endpoints?endpoint=${uuid}`, 303)
  })

  router.post('/knock', async (context) => {
    const endpoint = await chosenIn(context)
    const answers = await knock(sandbox, endpoint, knocks)
    const said = answers.map((answer) => (answer.kind === 'answered' ? answer.status : answer.failure))
    const words = new URLSearchParams({ endpoint: endpoint.uuid, knocked: [...new Set(said)].join(', ') })
    return context.redirect(`/endpoints?${words}`, 303)
  })

  return router

  async function chosenIn(context: Context) {
    const uuid = UuidSchema.safeParse((await readForm(context)).endpoint)
    if (!uuid.success) throw badRequest('Choose an endpoint')
    return requireEndpoint(pool, uuid.data)
  }
}

const shownAtMost = 50

const mostEndpoints = 100

/** One click makes this many calls. */
const knocks = 3

const QuerySchema = z.object({
  endpoint: UuidSchema.optional().catch(undefined),
  text: z.string().trim().optional(),
  status: EndpointRowSchema.shape.status.optional().catch(undefined),
  /** The query parameter holds the answers to a stranger's calls. */
  knocked: z.string().max(200).optional().catch(undefined),
})

type Query = z.output<typeof QuerySchema>

const isFiltered = ({ text, status }: Query) => Boolean(text || status)

const filterForm = ({
  text,
  status,
}: Query) => html`<form method="get" action="/endpoints" class="fields filter">
<label>Find by URL, description or UUID<input type="search" name="text" value="${text ?? ''}"></label>
<label>Status<select name="status">${option('', 'any', !status)}${EndpointRowSchema.shape.status.options.map((value) => option(value, value, value === status))}</select></label>
<button class="btn">Filter</button></form>`

const statusVariants = { active: 'done', disabled: 'wait', auto_disabled: 'fail' } satisfies Record<
  string,
  BadgeVariant
>

const endpointRow = (endpoint: WebhookEndpoint, chosen: boolean, query: Query) => html`<li>
<div class="grow"><div class="name">${endpoint.description}</div><div class="mono muted">${endpoint.url}</div>
<div class="muted small">${endpoint.subscribed_events?.join(', ') ?? `all ${eventTypes.length} event types`}</div></div>
${badge(statusVariants[endpoint.status], endpoint.status)}
${chosen ? html`<span class="muted small">shown below</span>` : html`<a class="btn tiny" href="/endpoints?${linkTo(endpoint, query)}" aria-label="Deliveries to ${endpoint.description}">Deliveries</a>`}</li>`

const linkTo = ({ uuid }: WebhookEndpoint, { text, status }: Query) =>
  new URLSearchParams({ ...(text && { text }), ...(status && { status }), endpoint: uuid })

const deliveryList = (
  endpoint: WebhookEndpoint,
  deliveries: DeliveryView[],
  knocked: string | undefined,
  now: Date,
) => html`
<div class="row heading"><h2 class="grow">Deliveries to ${endpoint.description}</h2>
<form method="post" action="/endpoints/knock"><button class="btn tiny" name="endpoint" value="${endpoint.uuid}" title="As somebody who knows its address alone">Send with a wrong secret</button></form>
<form method="post" action="/endpoints/auto-disable"><button class="btn tiny" name="endpoint" value="${endpoint.uuid}" title="As after too many lost deliveries in a row" ${endpoint.status === 'active' ? '' : raw('disabled')}>Switch it off as the service does</button></form></div>
${knocked ? html`<p class="note warn" role="status">${knocks} calls with a wrong secret were answered: ${knocked}</p>` : ''}
<div class="card">${
  deliveries.length === 0
    ? html`<p class="empty">Nothing was sent here yet. <a href="/">Play a scenario</a> and it appears.</p>`
    : deliveries.map((delivery) => deliveryRow(delivery, now))
}</div>
${deliveries.length === shownAtMost ? html`<p class="muted">The newest ${shownAtMost} are shown.</p>` : ''}`

const stateVariants = { waiting: 'move', delivered: 'done', lost: 'fail', stopped: 'wait' } satisfies Record<
  string,
  BadgeVariant
>

const deliveryRow = (delivery: DeliveryView, now: Date) => html`<details>
<summary><span class="muted small">${timeElement(delivery.created_at)}</span>
<span class="grow"><span class="name">${delivery.envelope.type}</span> <span class="mono">${delivery.envelope.subType}</span></span>
<span class="muted small num">${progress(delivery, now)}</span>
${badge(delivery.state === 'waiting' && delivery.attempts_made > 0 ? 'held' : stateVariants[delivery.state], delivery.state)}</summary>
<div>${attemptTable(delivery)}
<p class="muted small">About ${shortIdMarkup(delivery.envelope.uuid, 'uuid')}</p>
<pre tabindex="0" aria-label="Body as sent">${JSON.stringify(delivery.envelope, null, 2)}</pre></div></details>`

function progress({ state, attempts_made, next_attempt_at }: DeliveryView, now: Date) {
  if (state === 'delivered' && attempts_made === 1) return ''
  const tried = `${attempts_made} of ${maxAttempts} attempts`
  if (!next_attempt_at || attempts_made === 0) return tried
  return html`${tried}, next in ${durationText((next_attempt_at.getTime() - now.getTime()) / 1000)}, ${timeElement(next_attempt_at)}`
}

function attemptTable({ attempts }: DeliveryView): Markup {
  if (attempts.length === 0) return html`<p class="muted">Not attempted yet.</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Attempts"><table><thead><tr><th>Attempt</th><th>At</th><th>Took</th><th>Answer</th><th>Body</th></tr></thead><tbody>${attempts.map(
    (
      attempt,
    ) => html`<tr><td class="num">${attempt.number}</td><td>${timeElement(attempt.started_at)}</td><td class="num">${attempt.duration_ms} ms</td>
<td>${attempt.status === null ? badge('fail', attempt.failure ?? 'no answer') : badge(attempt.status >= 200 && attempt.status < 300 ? 'done' : 'fail', String(attempt.status))}</td>
<td class="mono">${attempt.answer?.slice(0, 200) || html`<span class="muted">empty</span>`}</td></tr>`,
  )}</tbody></table></div>`
}
