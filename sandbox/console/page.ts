import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { SandboxWithLoad } from '../load/sandbox-with-load.ts'
import { assetPath } from './assets.ts'
import type { Markup } from './markup.ts'
import { stateNotices } from './state.ts'

interface Page {
  readonly title: string
  readonly path: string
  readonly body: Markup
  /** Shows by itself what is new, while nobody is reading or typing. */
  readonly refreshes?: boolean
  /** Whether it is the reference of the interface. */
  readonly docs?: boolean
  readonly status?: ContentfulStatusCode
}

/**
 * A whole page of the console. Nothing in it comes from, or goes to, another place. It is first shown once its script
 * has put the times into the reader's zone, which are of another length: else the rows below would move.
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
