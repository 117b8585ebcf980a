import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import { ExactEnvelope } from '../control/event-routes.ts'
import { NewLoadSchema, startLoad } from '../control/load-routes.ts'
import { findAccounts } from '../control/search.ts'
import { emit } from '../deliveries/emit.ts'
import type { LoadProgress, SandboxWithLoad } from '../load/load.ts'
import { sampleEvent } from '../scenarios/catalogue.ts'
import { type Envelope, EventTypeSchema, eventTypes } from '../state/event-types.ts'
import { UuidSchema } from '../state/ids.ts'
import { renderPage } from './page.ts'
import {
  type BadgeVariant,
  badge,
  describedBy,
  errorsOf,
  errorText,
  type FormState,
  field,
  type Markup,
  option,
  readForm,
} from './pieces.ts'

/** The pages send one event of any type, or many events. */
export function eventPages(sandbox: SandboxWithLoad) {
  const { pool, clock, ids, load } = sandbox
  const router = new Hono()

  router.get('/', async (context) => {
    const { type, user, sent, deliveries } = QuerySchema.parse(context.req.query())
    return show(context, await example(type, user), { sent: sent ? deliveries : undefined })
  })

  router.post('/', async (context) => {
    const typed = await readForm(context)
    const envelope = ExactEnvelope.safeParse({ ...typed, data: parseJson(typed.data) })
    if (!envelope.success) return show(context, { typed, errors: errorsOf(envelope.error, hints) })
    const { type, subType, uuid } = envelope.data
    // The typed number is sent to the last digit, as POST events does.
    const start = JSON.stringify({ type, subType, uuid }).slice(0, -1)
    const deliveries = await emit(
      pool,
      clock,
      ids.uuid('event'),
      envelope.data,
      `${start},"data":${typed.data}}`,
    )
    return context.redirect(
      `/events?${new URLSearchParams({ type, user: uuid, sent: 'yes', deliveries: `${deliveries}` })}`,
      303,
    )
  })

  router.post('/load', async (context) => {
    const typed = await readForm(context)
    const request = NewLoadSchema.safeParse({
      per_second: Number(typed.per_second),
      seconds: Number(typed.seconds),
    })
    if (!request.success) {
      const errors = errorsOf(request.error, loadHints)
      return show(context, await example(), { load: { typed, errors } })
    }
    await startLoad(sandbox, request.data)
    return context.redirect('/events#load', 303)
  })

  router.post('/load/stop', async (context) => {
    await load.stop()
    return context.redirect('/events#load', 303)
  })

  return router

  async function example(type: Envelope['type'] = 'fiatToCrypto', user?: string): Promise<FormState> {
    const { accounts } = await findAccounts(pool, user, 1)
    const { data, ...rest } = sampleEvent(ids, type, accounts[0], clock.now())
    return { typed: { ...rest, data: JSON.stringify(data, null, 2) } }
  }

  async function show(context: Context, state: FormState, { sent, load: loadState }: Shown = {}) {
    const { accounts } = await findAccounts(pool, undefined, mostUsers)
    const { typed, errors } = state
    return renderPage(context, sandbox, {
      title: 'Events',
      path: '/events',
      status: errors || loadState ? 400 : 200,
      body: html`<h1>Send an event</h1>
<p class="sub">One event of any type, to every active endpoint that subscribes to it. It is sent exactly as it stands here.</p>
${sent === undefined ? '' : sentNote(sent)}
<form method="get" action="/events" class="card pad fields">
<label>Type<select name="type">${eventTypes.map((type) => option(type, type, type === typed?.type))}</select></label>
<label>About the user<select name="user">${accounts.map(({ uuid, email }) => option(uuid, email, uuid === typed?.uuid))}</select></label>
<button class="btn">Fill in an example</button></form>
<form method="post" action="/events" class="card pad" novalidate>
<div class="fields">${field(state, 'type', 'type', { attributes: 'readonly' })}
${field(state, 'subType', 'subType', { attributes: 'spellcheck="false"' })}
${field(state, 'uuid', 'uuid (user or corporate entity)', { attributes: 'spellcheck="false"' })}</div>
<label class="below">data<textarea name="data" rows="14" spellcheck="false" ${describedBy('data', errors?.data)}>${typed?.data ?? ''}</textarea>${errors?.data ? errorText('data', errors.data) : ''}</label>
<p class="row end"><button class="btn pri">Send</button></p></form>
${loadForm(sandbox, loadState)}`,
    })
  }
}

const mostUsers = 100

const hints = {
  type: 'Must be one of the event types',
  subType: 'Must be 1 to 255 characters',
  uuid: 'Must be a uuid',
  data: 'Must be a JSON object, nested less than 200 deep',
}

interface Shown {
  readonly sent?: number | undefined
  readonly load?: FormState
}

const QuerySchema = z.object({
  type: EventTypeSchema.optional().catch(undefined),
  user: UuidSchema.optional().catch(undefined),
  sent: z.string().optional(),
  deliveries: z.coerce.number().optional().catch(undefined),
})

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const sentNote = (deliveries: number) =>
  deliveries === 0
    ? html`<p class="note warn" role="status"><b>Sent to nobody.</b> No active endpoint subscribes to this type.</p>`
    : html`<p class="note" role="status"><b>Sent</b> to ${deliveries} ${deliveries === 1 ? 'endpoint' : 'endpoints'}. <a href="/endpoints">See its delivery</a></p>`

/** The form shows the running load, or starts one: many events at a given pace. */
function loadForm({ load }: SandboxWithLoad, state: FormState = {}): Markup {
  const progress = load.progress()
  const running = progress?.state === 'running'
  return html`<section id="load" data-refresh><h2>Send many</h2>
<div class="card">
${progress ? progressRow(progress) : ''}
<form method="post" action="/events/load" class="fields pad" novalidate>
${field(state, 'per_second', 'Events per second', { value: '20', attributes: 'inputmode="numeric"' })}
${field(state, 'seconds', 'Duration in seconds', { value: '30', attributes: 'inputmode="numeric"' })}
<button class="btn" ${running ? 'disabled' : ''}>Start</button></form></div>
<p class="muted">Transactions of all users run side by side, most to success. This many events leave in each real second.</p></section>`
}

/** The hints explain why a field's value is refused. */
const loadHints: Record<string, string> = {
  per_second: 'A whole number from 1 to 10000',
  seconds: 'A whole number from 1 to 86400',
}

const variants = { running: 'move', finished: 'done', stopped: 'wait', failed: 'fail' } satisfies Record<
  LoadProgress['state'],
  BadgeVariant
>

const progressRow = ({ state, sent, events, perSecond, seconds, deliveries }: LoadProgress) => html`<ul><li>
<div class="grow"><div class="name num">${sent.toLocaleString('en')} of ${events.toLocaleString('en')} events</div>
<progress max="${events}" value="${sent}" aria-label="Events sent"></progress>
<div class="muted num">${perSecond.toLocaleString('en')} a second asked for, ${Math.round(sent / Math.max(seconds, 1)).toLocaleString('en')} sent · ${deliveries.toLocaleString('en')} deliveries</div></div>
${badge(variants[state], state)}
${state === 'running' ? html`<form method="post" action="/events/load/stop"><button class="btn tiny">Stop</button></form>` : ''}</li></ul>`
