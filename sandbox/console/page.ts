import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SandboxWithLoad } from '../load/load.ts'
import type { ActiveFault, FaultKind } from '../state/faults.ts'
import { assetPath } from './assets.ts'
import { durationText, type Markup, shortText, timeElement } from './pieces.ts'

interface Page {
  readonly title: string
  readonly path: string
  readonly body: Markup
  /** The page refreshes itself while nobody reads or types. */
  readonly refreshes?: boolean
  /** The flag is true for the reference of the interface. */
  readonly docs?: boolean
  readonly status?: ContentfulStatusCode
}

/**
 * The page loads nothing from other hosts. It appears only after its script has put the times into the reader's zone,
 * because their changed length would move the rows below.
 */
export function renderPage(
  context: Context,
  sandbox: SandboxWithLoad,
  { title, path, body, refreshes = false, docs = false, status = 200 }: Page,
) {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    'img-src data:',
  ]
  context.header('Content-Security-Policy', policy.join('; '))
  context.header('Cache-Control', 'no-store')
  return context.html(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sandbox</title>
<link rel="icon" href="data:,">
<link rel="preload" href="/fonts/inter-latin-wght-normal.woff2" as="font" type="font/woff2" crossorigin>
${docs ? html`<link rel="preload" href="/fonts/jetbrains-mono-latin-wght-normal.woff2" as="font" type="font/woff2" crossorigin>` : ''}
<link rel="stylesheet" href="${assetPath('/console.css')}">
${docs ? html`<link rel="stylesheet" href="${assetPath('/docs.css')}">` : ''}
<script src="${assetPath('/console.js')}" defer blocking="render"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<a class="brand" href="/">${raw(mark)} Service console</a><span class="tag">Sandbox</span>
<nav aria-label="Pages">${links.map(([href, label]) => html`<a href="${href}" ${raw(href === path ? 'aria-current="page"' : '')}>${label}</a>`)}</nav>
</header>
<div id="state" class="state" role="region" aria-label="State of the sandbox" data-refresh>${stateNotices(sandbox)}</div>
<main id="main" ${raw(refreshes ? 'data-refresh' : '')}>${body}</main>
<footer><p>No money and no real people. ${sandbox.smtpUrl ? 'Mails leave by SMTP, too.' : 'No mail leaves this machine.'}</p>
<p><a href="/docs">API reference</a> · <a href="/openapi.json">openapi.json</a> · <a href="/reset">Reset the sandbox</a></p></footer>
</body>
</html>`,
    status,
  )
}

const links = [
  ['/', 'Scenarios'],
  ['/events', 'Events'],
  ['/mailbox', 'Mailbox'],
  ['/users', 'Users'],
  ['/endpoints', 'Endpoints'],
  ['/receiver', 'Receiver'],
  ['/clock', 'Clock'],
  ['/faults', 'Faults'],
  ['/refused', 'Refused'],
  ['/docs', 'API'],
] as const

const mark =
  '<svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true"><path d="M3 5h4v3h3V5h4v3h3V5h4v7h-2v7h-6v-4a2 2 0 0 0-2-2 2 2 0 0 0-2 2v4H3z"/></svg>'

/** Every page shows these notices while the clock, the faults or the load differ from their initial state. */
export function stateNotices({ clock, time, faults, load }: SandboxWithLoad): Markup {
  const target = time.target()
  const pace = describeClock(clock)
  const kinds = new Set(faults.list().map((fault) => faultTitles[fault.kind]))
  const running = load.progress()
  return html`${
    target
      ? note('The clock is going ahead', html`to ${timeElement(target)}.`, '/clock')
      : pace && note('Clock:', `${pace}; the dashboard’s stays real.`, '/clock')
  }
${kinds.size > 0 ? note('Faults are on:', `${[...kinds].join(', ')}.`, '/faults', switchOff) : ''}
${running?.state === 'running' ? note('A load is running:', `${running.sent} of ${running.events} events.`, '/events#load') : ''}`
}

const note = (title: string, what: Markup | string, href: string, button: Markup | string = '') =>
  html`<div class="row"><span><b>${title}</b> ${what} <a href="${href}" aria-label="${title} see more">See</a></span>${button}</div>`

const switchOff = html`<form method="post" action="/faults/off"><button class="btn tiny">Switch all off</button></form>`

/** The text says how the clock differs from real time, and is empty when it does not. */
export function describeClock({ now, speed, frozen }: SandboxWithLoad['clock']): string {
  const ahead = (now().getTime() - Date.now()) / 1000
  const words = [
    frozen ? `frozen at ${now().toISOString()}` : '',
    Math.abs(ahead) < sameSeconds
      ? ''
      : `${durationText(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} real time`,
    speed === 1 ? '' : `${speed.toLocaleString('en')} times as fast`,
  ]
  return words.filter(Boolean).join(', ')
}

/** A smaller difference in seconds counts as none. */
const sameSeconds = 2

export const faultTitles = {
  fail: 'Failing calls',
  slow: 'Slow answers',
  drop_answer: 'Dropped answers',
  invalid_json: 'Broken JSON',
  duplicate: 'Duplicates',
  reorder: 'Wrong order',
  deliver_before_answer: 'Delivery before the answer',
} satisfies Record<FaultKind, string>

export const faultEffects = {
  fail: 'A call is answered with this status and nothing else happens.',
  slow: 'A call takes effect at once, its answer comes later. In real time, whatever the clock says.',
  drop_answer: 'A call takes effect, then its connection ends without an answer.',
  invalid_json: 'A call takes effect, but the body of its answer ends in the middle.',
  duplicate:
    'A delivery that was answered is sent again, the very same request. How a copy is answered does not count.',
  reorder:
    'A delivery waits until the next one to its endpoint has overtaken it, for up to 2 s of real time.',
  deliver_before_answer:
    'A new endpoint receives an event before the call that created it is answered, so its secret is not known yet.',
} satisfies Record<FaultKind, string>

/** The text describes the settings of an active fault. */
export function describeFault(fault: ActiveFault): string {
  const words = [settingsOf(fault), placeOf(fault)]
  if (fault.left !== null) words.push(fault.left === 1 ? 'once more' : `${fault.left} more times`)
  else words.push('until switched off')
  return words.filter(Boolean).join(' · ')
}

function settingsOf(fault: ActiveFault) {
  if (fault.kind === 'fail') return `status ${fault.status}`
  if (fault.kind === 'slow') return `${fault.milliseconds.toLocaleString('en')} ms`
  if (fault.kind === 'duplicate') return fault.times === 1 ? '1 extra copy' : `${fault.times} extra copies`
  return ''
}

function placeOf(fault: ActiveFault) {
  if (fault.kind === 'deliver_before_answer') return 'new endpoints'
  if (fault.kind === 'duplicate' || fault.kind === 'reorder') {
    return fault.endpoint ? `endpoint ${shortText(fault.endpoint)}` : 'every endpoint'
  }
  if (!fault.method && !fault.path) return 'every call'
  return `${fault.method ?? 'any method'} ${fault.path ? `${fault.path}…` : 'on any path'}`
}
