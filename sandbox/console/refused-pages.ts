import { Hono } from 'hono'
import { html } from 'hono/html'
import type { SandboxWithLoad } from '../load/load.ts'
import { renderPage } from './page.ts'
import { badge, timeElement } from './pieces.ts'

/** The pages show the refused requests and the reason for each refusal. */
export function refusedPages(sandbox: SandboxWithLoad) {
  const router = new Hono()

  router.get('/', (context) => {
    const refused = sandbox.refusals.list(mostShown)
    return renderPage(context, sandbox, {
      title: 'Refused',
      path: '/refused',
      refreshes: true,
      body: html`<h1>Refused requests</h1>
<p class="sub">What was wrong with each, newest first. It says more than the answer did. New ones appear by themselves.</p>
<div class="card">${
        refused.length === 0
          ? html`<p class="empty">No request was refused yet.</p>`
          : html`<ul>${refused.map(
              ({ at, method, path, status, message, broken_rules }) => html`<li><div class="grow">
<div class="name mono">${method} ${path}</div><div class="muted">${message} · ${timeElement(at)}</div>
${broken_rules.map(({ where, rule }) => html`<div class="muted"><b>${where}</b> ${rule}</div>`)}</div>
${badge('fail', String(status))}</li>`,
            )}</ul>`
      }</div>`,
    })
  })

  return router
}

const mostShown = 100
