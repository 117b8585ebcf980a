import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { z } from 'zod'
import type { QueryClient } from '../database/pool.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { badRequest } from '../service/refusal.ts'
import { EnvelopeSchema } from '../state/event-types.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { renderPage } from './page.ts'
import {
  type BadgeVariant,
  badge,
  copyButton,
  errorsOf,
  type FormState,
  field,
  type Markup,
  readForm,
  shortIdMarkup,
  timeElement,
} from './pieces.ts'

/** The pages show a built-in receiver, which takes deliveries and answers with the status that a person chose. */
export function receiverPages(sandbox: SandboxWithLoad) {
  const { pool } = sandbox
  const router = new Hono()

  router.get('/', (context) => show(context, {}))

  router.post('/', async (context) => {
    const status = await takeDelivery(sandbox, context.req.header('authorization'), await context.req.text())
    const answer = status === 200 ? { received: true } : { error: statusWords.get(status) ?? 'refused' }
    return context.json(answer, { status: status === 401 || status === 500 ? status : 200 })
  })

  router.post('/status', async (context) => {
    const { status } = await readForm(context)
    if (status !== '200' && status !== '500') throw badRequest('It answers 200 or 500')
    await setStatus(pool, Number(status))
    return context.redirect('/receiver', 303)
  })

  router.post('/secrets', async (context) => {
    const typed = await readForm(context)
    const given = SecretSchema.safeParse(typed)
    if (!given.success) return show(context, { typed, errors: errorsOf(given.error) }, 400)
    await giveSecret(pool, given.data.secret)
    return context.redirect('/receiver', 303)
  })

  router.post('/secrets/forget', async (context) => {
    await forgetSecret(pool, (await readForm(context)).id ?? '')
    return context.redirect('/receiver', 303)
  })

  router.post('/clear', async (context) => {
    await forgetReceived(pool)
    return context.redirect('/receiver', 303)
  })

  return router

  async function show(context: Context, state: FormState, status: 200 | 400 = 200) {
    const [receiver, received] = await Promise.all([readReceiver(pool), listReceived(pool, shownAtMost)])
    const address = `http://localhost:${sandbox.port}/receiver`
    return renderPage(context, sandbox, {
      title: 'Receiver',
      path: '/receiver',
      status,
      body: html`<h1>Receiver</h1>
<p class="sub">Plays the merchant’s own backend. Point an endpoint at it to try: create, rotate, replace, fail until it is switched off, send what it missed.</p>
<div class="card"><ul>
<li><div class="grow"><div class="name">Address</div><div class="mono muted">${address}</div></div>${copyButton(address, 'the address')}</li>
<li><div class="grow"><div class="name">Answers</div><div class="muted">${answerNote(receiver, sandbox.options.autoDisableAfter)}</div></div>
<form method="post" action="/receiver/status" class="row">${answers.map(
        ([value, label]) =>
          html`<button class="btn" name="status" value="${value}" ${receiver.status === Number(value) ? raw('aria-pressed="true"') : ''}>${label}</button>`,
      )}</form></li>
</ul>
<form method="post" action="/receiver/secrets" class="fields compact pad ruled" novalidate>
${field(state, 'secret', 'Signing secret', { attributes: 'spellcheck="false"' })}
<button class="btn">Save secret</button></form>
${secretList(receiver)}</div>
<div class="row heading"><h2 class="grow">Received</h2>${received.length > 0 ? html`<form method="post" action="/receiver/clear"><button class="btn tiny">Clear</button></form>` : ''}</div>
<div id="received" data-refresh><div class="card">${
        received.length === 0
          ? html`<p class="empty">Nothing yet. In the dashboard, add an endpoint at another address: this one is filled in.</p>`
          : received.map(receivedRow)
      }</div></div>
${received.length === shownAtMost ? html`<p class="muted">The newest ${shownAtMost} are shown.</p>` : ''}`,
    })
  }
}

const shownAtMost = 50

const answers = [
  ['200', '200, taken'],
  ['500', '500, failed'],
] as const

const statusWords = new Map([
  [401, 'The signing secret does not match'],
  [500, 'This receiver was told to fail'],
])

const SecretSchema = z.object({
  secret: z
    .string('Paste the secret that the dashboard showed')
    .regex(/^[\x21-\x7e]{1,500}$/, 'A secret has no spaces and no letters beyond ASCII'),
})

function answerNote({ status, secrets }: Receiver, autoDisableAfter: number): Markup {
  if (status === 500) {
    return html`Every delivery fails and is tried again, at most seven times.${
      autoDisableAfter > 0
        ? html` After ${autoDisableAfter} lost in a row the service switches the endpoint off: <a href="/events#load">send as many</a> and advance a day on the <a href="/clock">clock</a>, or have it switched off at once under <a href="/endpoints">Endpoints</a>.`
        : ''
    }`
  }
  return secrets.length === 0
    ? html`200 to everything: it was given no secret to check.`
    : html`200 to whatever carries a secret that it knows, 401 to the rest.`
}

const secretList = ({ secrets }: Receiver): Markup | string =>
  secrets.length === 0
    ? ''
    : html`<ul class="ruled">${secrets.map(
        ({
          id,
          secret,
        }) => html`<li><div class="grow"><span class="mono">…${secret.slice(-6)}</span> <span class="muted small">accepted</span></div>
<form method="post" action="/receiver/secrets/forget"><button class="btn tiny" name="id" value="${id}" aria-label="Forget the secret that ends in ${secret.slice(-6)}">Forget</button></form></li>`,
      )}</ul>`

const secretVariants = {
  right: ['done', 'right secret'],
  wrong: ['fail', 'other secret'],
  unchecked: ['wait', 'not checked'],
} as const satisfies Record<Received['secret'], readonly [BadgeVariant, string]>

function receivedRow({ at, secret, status, body }: Received): Markup {
  const envelope = readEnvelope(body)
  const [variant, words] = secretVariants[secret]
  return html`<details>
<summary><span class="muted small">${timeElement(at)}</span>
<span class="grow">${envelope ? html`<span class="name">${envelope.type}</span> <span class="mono">${envelope.subType}</span>` : html`<span class="name">No event</span>`}</span>
${badge(variant, words)}
${badge(status === 200 ? 'done' : 'fail', String(status))}</summary>
<div>${envelope ? html`<p class="muted small">About ${shortIdMarkup(envelope.uuid, 'uuid')}</p>` : ''}
<pre tabindex="0" aria-label="Body as received">${envelope ? JSON.stringify(envelope, null, 2) : body}</pre></div></details>`
}

function readEnvelope(body: string) {
  try {
    return EnvelopeSchema.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

/** The receiver plays the merchant's backend, so that one machine can show an endpoint's whole life. */
interface Receiver {
  /** The receiver answers this status to a delivery whose secret it does not refuse. */
  readonly status: number
  /** The receiver checks signatures with these secrets, and checks nothing while it has none. */
  readonly secrets: readonly { readonly id: string; readonly secret: string }[]
}

async function readReceiver(database: QueryClient): Promise<Receiver> {
  const { rows } = await database.query('SELECT status FROM receiver')
  const secrets = await database.query(
    'SELECT id::text, secret FROM receiver_secret ORDER BY receiver_secret.id',
  )
  return {
    status: StatusRowSchema.parse(rows[0]).status,
    secrets: z.array(SecretRowSchema).parse(secrets.rows),
  }
}

const StatusRowSchema = z.object({ status: z.number() })
const SecretRowSchema = z.object({ id: z.string(), secret: z.string() })

async function setStatus(database: QueryClient, status: number): Promise<void> {
  await database.query('UPDATE receiver SET status = $1', [status])
}

/** The new secret joins the others, because both are right while an endpoint is replaced. */
async function giveSecret(database: QueryClient, secret: string): Promise<void> {
  await database.query('INSERT INTO receiver_secret (secret) VALUES ($1) ON CONFLICT DO NOTHING', [secret])
}

async function forgetSecret(database: QueryClient, id: string): Promise<void> {
  await database.query('DELETE FROM receiver_secret WHERE id::text = $1', [id])
}

type Received = z.output<typeof ReceivedRowSchema>

/** The list shows received deliveries, the latest first. */
async function listReceived(database: QueryClient, most: number): Promise<Received[]> {
  const { rows } = await database.query(
    'SELECT id::text, at, secret, status, body FROM received ORDER BY received.id DESC LIMIT $1',
    [most],
  )
  return z.array(ReceivedRowSchema).parse(rows)
}

const ReceivedRowSchema = z.object({
  id: z.string(),
  at: z.date(),
  secret: z.enum(['right', 'wrong', 'unchecked']),
  status: z.number(),
  body: z.string(),
})

async function forgetReceived(database: QueryClient): Promise<void> {
  await database.query('DELETE FROM received')
}

/** The receiver keeps this many deliveries. */
const kept = 200

/** The receiver takes one delivery as a merchant's backend should (§5.5), notes it, and chooses the status of its answer. */
async function takeDelivery(
  { pool, clock }: Pick<Sandbox, 'pool' | 'clock'>,
  authorization: string | undefined,
  body: string,
): Promise<number> {
  const { status: wanted, secrets } = await readReceiver(pool)
  const given = /^API-Key (\S+)$/i.exec(authorization ?? '')?.[1]
  const known = secrets.some(({ secret }) => secret === given)
  const secret: Received['secret'] = secrets.length === 0 ? 'unchecked' : known ? 'right' : 'wrong'
  const status = secret === 'wrong' ? 401 : wanted
  // PostgreSQL stores no NUL in a text.
  await pool.query('INSERT INTO received (at, secret, status, body) VALUES ($1, $2, $3, $4)', [
    clock.now(),
    secret,
    status,
    body.replaceAll('\0', '\ufffd'),
  ])
  await pool.query('DELETE FROM received WHERE id <= (SELECT max(id) FROM received) - $1', [kept])
  return status
}
