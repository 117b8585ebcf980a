import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { FactorSchema, findNextRetry, type NextRetry, SecondsSchema } from '../control/clock-routes.ts'
import { maxAttempts } from '../deliveries/retry-schedule.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { addSeconds } from '../time/clock.ts'
import { findNextDue } from '../time/timekeeper.ts'
import { describeClock, renderPage } from './page.ts'
import { durationText, type FormState, field, type Markup, option, readForm, timeElement } from './pieces.ts'

/** The pages show the sandbox's time and the next event, and move the clock ahead. */
export function clockPages(sandbox: SandboxWithLoad) {
  const { clock, pool, time, log } = sandbox
  const router = new Hono()

  router.get('/', (context) => show(context, {}))

  router.post('/advance', async (context) => {
    const typed = await readForm(context)
    const seconds = SecondsSchema.safeParse(Number(typed.by) * Number(typed.unit ?? 1))
    if (!seconds.success)
      return show(context, { typed, errors: { by: 'More than 0, and at most 366 days' } }, 400)
    await goAhead(seconds.data)
    return context.redirect('/clock', 303)
  })

  router.post('/advance/next', async (context) => {
    const next = await findNextDue(sandbox)
    if (next) await goTo(next)
    return context.redirect('/clock', 303)
  })

  router.post('/advance/next-retry', async (context) => {
    const next = await findNextRetry(pool)
    if (next) await goTo(next.due_at)
    return context.redirect('/clock', 303)
  })

  router.post('/speed', async (context) => {
    const typed = await readForm(context)
    const factor = FactorSchema.safeParse(Number(typed.factor))
    if (!factor.success) return show(context, { typed, errors: { factor: 'From 0.01 to 100000' } }, 400)
    await time.setSpeed(factor.data)
    return context.redirect('/clock', 303)
  })

  router.post('/freeze', async (context) => {
    await time.freeze()
    return context.redirect('/clock', 303)
  })

  router.post('/resume', async (context) => {
    await time.resume()
    return context.redirect('/clock', 303)
  })

  return router

  /** The target lies slightly later, because the queue wakes in whole milliseconds of real time and never too early. */
  async function goTo(moment: Date) {
    const seconds =
      (moment.getTime() - clock.now().getTime()) / 1000 + (clock.frozen ? 0 : 0.002 * clock.speed)
    if (seconds > 0) await goAhead(seconds)
  }

  /**
   * The clock continues in the background when the move takes longer than a page should, because a receiver may delay an
   * attempt.
   */
  async function goAhead(seconds: number) {
    const there = time.advance(seconds).catch((error: unknown) => log.error({ err: error }, 'advance failed'))
    await Promise.race([there, sleep(longestWaitMs)])
  }

  async function show(context: Context, state: FormState, status: 200 | 400 = 200) {
    const now = clock.now()
    const [retry, due] = await Promise.all([findNextRetry(pool), findNextDue(sandbox)])
    const step = due && due > now && (!retry || due < addSeconds(retry.due_at, -1)) ? due : undefined
    const target = time.target()
    return renderPage(context, sandbox, {
      title: 'Clock',
      path: '/clock',
      refreshes: true,
      status,
      body: html`<h1>Clock</h1>
<p class="sub">The clock of the sandbox. Time-outs of deliveries and slow answers stay in real time.</p>
${target ? goingAheadNote(target) : ''}
<div class="card pad"><p class="clock num"><time datetime="${now.toISOString()}" data-speed="${clock.frozen ? 0 : clock.speed}">${now.toISOString().slice(0, 19).replace('T', ' ')} UTC</time></p>
<p class="muted flat">${clockLabel(clock)}</p>
<p class="muted moves"><b>Moves</b> retries, the steps of scenarios, and when codes, sessions and sign-in messages expire. <b>Does not move</b> the dashboard: whatever arrives there arrives now, and is shown so.</p></div>
<h2>Advance</h2>
<div class="card"><ul>
${nextRow('next-retry', 'To the next retry', retry && retryLabel(retry, now), target)}
${step ? nextRow('next', 'To the next step of a scenario', html`${timeElement(step)}, ${formatDifference(step, now)}`, target) : ''}
<li><div class="grow"><div class="name">By a fixed time</div><div class="muted">What comes due on the way happens at its own time, one after the other.</div></div>
<form method="post" action="/clock/advance" class="row">${steps.map(
        ([seconds, label]) =>
          html`<button class="btn" name="by" value="${seconds}" ${disabledBy(target)}>${label}</button>`,
      )}</form></li>
</ul>
<form method="post" action="/clock/advance" class="fields compact pad ruled" novalidate>
${field(state, 'by', 'Or by', { attributes: 'inputmode="decimal" placeholder="90"' })}
<label>Unit<select name="unit">${units.map(([seconds, label]) => option(seconds, label, seconds === (state.typed?.unit ?? '60')))}</select></label>
<button class="btn" ${disabledBy(target)}>Advance</button></form></div>
<h2>Speed</h2>
<div class="card"><ul><li><div class="grow"><div class="name">How fast time passes</div><div class="muted">Kept through a restart; a <a href="/reset">reset</a> sets the clock back to real time.</div></div>
<form method="post" action="/clock/speed" class="row">${speeds.map(
        ([factor, label]) =>
          html`<button class="btn" name="factor" value="${factor}" ${clock.speed === Number(factor) ? raw('aria-pressed="true"') : ''}>${label}</button>`,
      )}</form></li>
<li><div class="grow"><div class="name">Stand still</div><div class="muted">Frozen, the clock moves only when you advance it.</div></div>
<form method="post" action="/clock/${clock.frozen ? 'resume' : 'freeze'}"><button class="btn">${clock.frozen ? 'Resume' : 'Freeze'}</button></form></li></ul>
<form method="post" action="/clock/speed" class="fields compact pad ruled" novalidate>
${field(state, 'factor', 'Or sandbox seconds in a real one', { attributes: 'inputmode="decimal" placeholder="10"' })}
<button class="btn">Set speed</button></form></div>`,
    })
  }
}

/** A form waits at most this many real milliseconds for the clock to arrive. */
const longestWaitMs = 1_500

const steps = [
  ['60', '1 min'],
  ['3600', '1 h'],
  ['86400', '1 day'],
] as const

const units = [
  ['1', 'seconds'],
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
] as const

const speeds = [
  ['1', 'Real'],
  ['60', '60×, a minute a second'],
  ['3600', '3,600×, an hour a second'],
] as const

const goingAheadNote = (target: Date) =>
  html`<p class="note warn" role="status"><b>Advancing</b> to ${timeElement(target)}. Attempts on the way are waited for, one that is not answered until it times out; this page follows.</p>`

const nextRow = (path: string, title: string, what: Markup | undefined, target: Date | undefined) => html`<li>
<div class="grow"><div class="name">${title}</div><div class="muted next">${what ?? 'No retries pending.'}</div></div>
<form method="post" action="/clock/advance/${path}"><button class="btn" aria-label="Advance: ${title.toLowerCase()}" ${what ? disabledBy(target) : raw('disabled')}>Advance</button></form></li>`

const retryLabel = (retry: NextRetry, now: Date) =>
  html`Retry ${retry.attempts} of ${maxAttempts - 1} of <span class="mono">${retry.type} ${retry.sub_type}</span> to
<a href="/endpoints?endpoint=${retry.endpoint_uuid}">${retry.description}</a>: ${timeElement(retry.due_at)}, ${formatDifference(retry.due_at, now)}`

const formatDifference = (moment: Date, now: Date) =>
  `in ${durationText((moment.getTime() - now.getTime()) / 1000)}`

const clockLabel = (clock: SandboxWithLoad['clock']) => {
  const difference = describeClock(clock)
  if (!difference) return 'Real time, at real speed'
  return clock.speed === 1 && !clock.frozen ? `${difference}, at real speed` : difference
}

const disabledBy = (target: Date | undefined) => (target ? raw('disabled') : '')
