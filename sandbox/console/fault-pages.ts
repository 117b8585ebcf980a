import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { findEndpoints } from '../control/search.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { type ActiveFault, type FaultKind, FaultSchema } from '../state/faults.ts'
import { describeFault, faultEffects, faultTitles, renderPage } from './page.ts'
import { badge, errorsOf, type FormState, field, option, readForm } from './pieces.ts'

/** The pages switch faults on and off, and show the active ones. */
export function faultPages(sandbox: SandboxWithLoad) {
  const { faults, pool } = sandbox
  const router = new Hono()

  router.get('/', async (context) => {
    const body = await faultsBody({})
    return renderPage(context, sandbox, { title: 'Faults', path: '/faults', body })
  })

  router.post('/', async (context) => {
    const { kind, ...typed } = await readForm(context)
    const parsed = FaultSchema.safeParse({ kind, ...withNumbers(typed) })
    if (parsed.success) {
      faults.add(parsed.data)
      return context.redirect('/faults', 303)
    }
    const hints = Object.fromEntries(Object.entries(settings).map(([name, { wanted }]) => [name, wanted]))
    const state = { kind, typed, errors: errorsOf(parsed.error, hints) }
    return renderPage(context, sandbox, {
      title: 'Faults',
      path: '/faults',
      body: await faultsBody(state),
      status: 400,
    })
  })

  router.post('/off', async (context) => {
    const { id } = await readForm(context)
    if (id) faults.remove(id)
    else faults.clear()
    return context.redirect('/faults', 303)
  })

  return router

  async function faultsBody(state: FaultFormState) {
    const { endpoints } = await findEndpoints(pool, {}, mostEndpoints)
    const active = faults.list()
    return html`<h1>Faults</h1>
<p class="sub">Faults on purpose, to see how your side handles them. A fault ends after its number of times, when you switch it off, or when the sandbox is reset or restarts. The console and the control interface are not affected.</p>
${
  active.length === 0
    ? html`<p class="card empty">All is well: no fault is on.</p>`
    : html`<h2>On now</h2><div class="card"><ul>${active.map(activeRow)}</ul></div>`
}
${groups.map(
  ({ title, kinds }) =>
    html`<h2>${title}</h2><div class="card">${kinds.map((kind) => switchRow(kind, active, state))}</div>`,
)}
<datalist id="endpoints">${endpoints.map(({ uuid, description }) => html`<option value="${uuid}">${description}</option>`)}</datalist>`
  }
}

const mostEndpoints = 100

type FaultFormState = FormState & { kind?: string | undefined }

const groups: { title: string; kinds: FaultKind[] }[] = [
  { title: 'Calls to the service', kinds: ['fail', 'slow', 'drop_answer', 'invalid_json'] },
  { title: 'Deliveries', kinds: ['duplicate', 'reorder', 'deliver_before_answer'] },
]

/** Each setting of a fault has a form field and an error text. */
const settings: Record<string, Setting> = {
  status: {
    label: 'Status',
    attributes: 'inputmode="numeric"',
    wanted: 'A whole number from 400 to 599',
    value: '503',
  },
  milliseconds: {
    label: 'Milliseconds',
    attributes: 'inputmode="numeric"',
    wanted: 'A whole number from 1 to 600000',
    value: '2000',
  },
  times: {
    label: 'Extra copies',
    attributes: 'inputmode="numeric"',
    wanted: 'A whole number from 1 to 10',
    value: '1',
  },
  method: {
    label: 'Method',
    wanted: 'GET, POST, PATCH or DELETE',
    options: ['GET', 'POST', 'PATCH', 'DELETE'],
  },
  path: {
    label: 'Path begins with',
    attributes: 'placeholder="any" spellcheck="false"',
    wanted: 'A path below the base address, such as /merchant/webhook-endpoints',
  },
  endpoint: {
    label: 'Endpoint’s uuid',
    attributes: 'placeholder="any" list="endpoints" spellcheck="false"',
    wanted: 'The uuid of an endpoint',
  },
  next: {
    label: 'Only the next … times',
    attributes: 'placeholder="until switched off" inputmode="numeric"',
    wanted: 'A whole number from 1 to 1000000',
  },
}

interface Setting {
  readonly label: string
  readonly wanted: string
  readonly attributes?: string
  readonly value?: string
  readonly options?: string[]
}

const settingsOf = Object.fromEntries(
  FaultSchema.options.map((kind) => [
    kind.shape.kind.value,
    Object.keys(kind.shape).filter((name) => name !== 'kind'),
  ]),
)

const numbers = new Set(['status', 'milliseconds', 'times', 'next'])

const withNumbers = (typed: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(typed).map(([name, value]) => [name, numbers.has(name) ? Number(value) : value]),
  )

const activeRow = (fault: ActiveFault) => html`<li>
<div class="grow"><div class="name">${faultTitles[fault.kind]}</div><div class="muted num">${describeFault(fault)}</div></div>
${badge('on', 'on')}
<form method="post" action="/faults/off"><button class="btn tiny" name="id" value="${fault.id}" aria-label="Switch off: ${faultTitles[fault.kind]}, ${describeFault(fault)}">Switch off</button></form></li>`

function switchRow(kind: FaultKind, active: ActiveFault[], state: FaultFormState) {
  const mine = state.kind === kind ? state : {}
  const count = active.filter((fault) => fault.kind === kind).length
  return html`<form method="post" action="/faults" class="switch" novalidate>
<div class="row"><div class="grow"><div class="name">${faultTitles[kind]} ${count > 0 ? badge('on', 'on') : ''}</div><div class="muted">${faultEffects[kind]}</div></div>
<button class="btn" name="kind" value="${kind}" aria-label="${count > 0 ? 'Switch on another' : 'Switch on'}: ${faultTitles[kind]}">Switch on${count > 0 ? ' another' : ''}</button></div>
<details ${raw(mine.errors ? 'open' : '')}><summary>Settings<span class="muted small">${defaultsOf(kind)}</span></summary>
<div class="fields">${settingsOf[kind]?.map((name) => settingField(kind, name, mine))}</div></details></form>`
}

function settingField(kind: FaultKind, name: string, state: FormState) {
  const setting = settings[name]
  if (!setting) return ''
  const { label, options, ...layout } = setting
  if (!options) return field(state, name, label, { ...layout, id: `${kind}-${name}` })
  return html`<label>${label}<select name="${name}">${option('', 'any', !state.typed?.[name])}${options.map((value) => option(value, value, value === state.typed?.[name]))}</select></label>`
}

/** These values apply when the settings are left unchanged. */
function defaultsOf(kind: FaultKind) {
  const parsed = FaultSchema.safeParse({ kind, ...withNumbers(valuesOf(kind)) })
  return parsed.success ? describeFault({ ...parsed.data, id: '', left: null }) : ''
}

const valuesOf = (kind: FaultKind) =>
  Object.fromEntries(
    (settingsOf[kind] ?? []).flatMap((name) => {
      const value = settings[name]?.value
      return value ? [[name, value]] : []
    }),
  )
