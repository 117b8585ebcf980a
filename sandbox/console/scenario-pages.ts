import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { z } from 'zod'
import {
  listPlays,
  mostPlays,
  requirePlayer,
  type ShownPlay,
  SpeedFactorSchema,
} from '../control/event-routes.ts'
import { findAccounts, findEndpoints } from '../control/search.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { findScenario, scenarios } from '../scenarios/catalogue.ts'
import { playScenario } from '../scenarios/play.ts'
import { type Scenario, scenarioGroups } from '../scenarios/scenario.ts'
import type { Account } from '../service/accounts.ts'
import { badRequest } from '../service/refusal.ts'
import { UuidSchema } from '../state/ids.ts'
import { renderPage } from './page.ts'
import { badge, badgeVariantOf, copyButton, option, timeElement } from './pieces.ts'

/** The pages start scenarios and show the latest plays. */
export function scenarioPages(sandbox: SandboxWithLoad) {
  const { pool } = sandbox
  const router = new Hono()

  router.get('/', async (context) => {
    const chosen = ChosenQuerySchema.parse(context.req.query())
    const [newest, named, endpoints, active, plays] = await Promise.all([
      findAccounts(pool, undefined, mostUsers),
      findAccounts(pool, chosen.user, 1),
      findEndpoints(pool, {}, 1),
      findEndpoints(pool, { status: 'active' }, 1),
      listPlays(pool),
    ])
    const accounts = unique([...(chosen.user ? named.accounts : []), ...newest.accounts])
    const started = plays.find((play) => play.id === chosen.played)
    return renderPage(context, sandbox, {
      title: 'Scenarios',
      path: '/',
      body: html`<h1>Play a scenario</h1>
<p class="sub">The service sends the events of a scenario, one after the other, to every active endpoint that subscribes to them. Where it says “assumed”, the contract does not show what such events carry.</p>
${chosen.reset ? html`<p class="note" role="status"><b>Everything is gone.</b> The sandbox is as new.</p>` : ''}
${accounts.length === 0 ? html`<p class="note warn">Scenarios are about a user, and there is none yet. <a href="/users">Add one</a>.</p>` : ''}
${accounts.length > 0 && active.total === 0 ? html`<p class="note warn">No active endpoint: what is played now reaches nobody. Endpoints are created in the dashboard or with the API.</p>` : ''}
<form method="post" action="/scenarios">
<div class="card pad fields">
<label>User<select name="user_uuid">${accounts.map((account) => userOption(account, chosen.user))}</select></label>
<label>Pace<select name="speed">${paces.map(([speed, label]) => option(speed, label, speed === (chosen.speed ?? '5')))}</select></label>
</div>
${newest.total > mostUsers ? html`<p class="muted">The newest ${mostUsers} of ${newest.total.toLocaleString('en')} users can be chosen here; any other on the page <a href="/users">Users</a>.</p>` : ''}
<nav class="chips" aria-label="On this page">${[...scenarioGroups, 'Played lately'].map((heading) => html`<a class="chip" href="#${anchorOf(heading)}">${heading}</a>`)}</nav>
${scenarioGroups.map(
  (group) =>
    html`<h2 id="${anchorOf(group)}">${group}</h2><div class="card"><ul>${scenarios
      .filter((scenario) => scenario.group === group)
      .map((scenario) => scenarioRow(scenario, accounts.length > 0))}</ul></div>`,
)}
</form>
<h2 id="${anchorOf('Played lately')}">Played lately</h2>
<div id="played" data-refresh><div class="card">${plays.length === 0 ? html`<p class="empty">Nothing yet.</p>` : html`<ul>${plays.map((play) => playRow(play, sandbox))}</ul>`}</div>${plays.length === mostPlays ? html`<p class="muted">The newest ${mostPlays} are shown.</p>` : ''}</div>
<h2>Connection</h2>
<div class="card pad"><dl class="facts"><dt>Base address</dt><dd class="mono">${sandbox.publicUrl}</dd>
<dt>Users</dt><dd><a href="/users">${newest.total.toLocaleString('en')}</a></dd>
<dt>Endpoints</dt><dd><a href="/endpoints">${endpoints.total.toLocaleString('en')}, ${active.total.toLocaleString('en')} active</a></dd></dl></div>
<div id="playing" class="playing" data-refresh>${started ? startedNote(started, sandbox) : ''}</div>`,
    })
  })

  router.post('/scenarios', async (context) => {
    const parsed = PlaySchema.safeParse(await context.req.parseBody())
    const scenario = parsed.success && findScenario(parsed.data.name)
    if (!parsed.success || !scenario) throw badRequest('Choose a scenario, a user and a pace')
    const { user_uuid, speed } = parsed.data
    const { playId } = await playScenario(sandbox, scenario, await requirePlayer(pool, user_uuid), speed)
    return context.redirect(`/?played=${playId}&user=${user_uuid}&speed=${speed}`, 303)
  })

  return router
}

const PlaySchema = z.object({
  name: z.string(),
  user_uuid: UuidSchema,
  speed: z.coerce.number().pipe(SpeedFactorSchema),
})

const ChosenQuerySchema = z.object({
  played: z.string().optional(),
  user: UuidSchema.optional().catch(undefined),
  speed: z.string().optional(),
  reset: z.string().optional(),
})

const mostUsers = 100

const unique = (accounts: Account[]) => [
  ...new Map(accounts.map((account) => [account.uuid, account])).values(),
]

const paces = [
  ['1', 'Real pace'],
  ['5', '5 times as fast'],
  ['20', '20 times as fast'],
  ['0', 'At once'],
] as const

const userOption = (account: Account, chosen: string | undefined) =>
  option(
    account.uuid,
    `${account.first_name} ${account.last_name} · ${account.email}`,
    account.uuid === chosen,
  )

const scenarioRow = ({ name, title, description, assumed, sends }: Scenario, playable: boolean) => html`<li>
<div class="grow"><div class="name">${title}${assumed ? html` <span class="muted small">assumed</span>` : ''}</div><div class="muted">${description}</div>
<div class="steps">${sends.map((status, index) => html`${index > 0 ? html`<i aria-hidden="true">›</i>` : ''}${badge(badgeVariantOf(status), status)}`)}</div></div>
<button class="btn" name="name" value="${name}" aria-label="Play: ${title} (${name})" ${playable ? '' : raw('disabled')}>Play</button></li>`

const anchorOf = (heading: string) => heading.toLowerCase().replaceAll(' ', '-')

const titleOf = (name: string) => {
  const scenario = findScenario(name)
  return scenario ? `${scenario.group}: ${inSentence(scenario.title)}` : name
}

/** An abbreviation keeps its capitals: "AML check failed". */
const inSentence = (title: string) => title.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())

/** The note stays at the foot of the window, so that a person sees it wherever they pressed "Play". */
const startedNote = (play: ShownPlay, sandbox: SandboxWithLoad) =>
  html`<div class="note" role="status"><div class="grow"><b>${play.sent < play.events ? 'Playing.' : 'Played.'}</b> ${titleOf(play.scenario)}, for ${play.email}.<br>
<span class="num">${progressText(play)}</span></div>${openLink(play, sandbox)}</div>`

/**
 * An event counts as delivered when every endpoint that is to get it has taken it. An event that no endpoint wants is not
 * waited for.
 */
function progressText({ events, delivered, lost, unwanted }: ShownPlay): string {
  if (unwanted === events) return `${events} of ${events} sent, to nobody`
  const done = `${delivered} of ${events - unwanted} delivered`
  const rest = unwanted > 0 && `${unwanted} more that nobody was subscribed to`
  return [done, lost > 0 && `${lost} lost`, rest].filter(Boolean).join(', ')
}

const openLink = ({ subject_uuid }: ShownPlay, { dashboardUrl }: SandboxWithLoad) =>
  dashboardUrl
    ? html`<a class="btn tiny" href="${dashboardUrl}/go/${subject_uuid}" target="_blank" rel="noreferrer">Open in dashboard</a>`
    : ''

const playRow = (
  play: ShownPlay,
  sandbox: SandboxWithLoad,
) => html`<li><div class="grow"><div class="name">${titleOf(play.scenario)}</div>
<div class="muted">${play.email} · ${timeElement(play.started_at)} · <span class="num">${progressText(play)}</span></div>
${play.transaction_uuid ? html`<div class="small"><span class="mono">${play.transaction_uuid}</span> ${copyButton(play.transaction_uuid, 'transaction uuid')}</div>` : ''}</div>
${openLink(play, sandbox)}</li>`
