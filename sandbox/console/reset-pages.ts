import { Hono } from 'hono'
import { html } from 'hono/html'
import { countRows, reset } from '../control/reset.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { describeClock, renderPage } from './page.ts'

/** The page first shows what a reset would delete. */
export function resetPages(sandbox: SandboxWithLoad) {
  const { pool, clock, faults } = sandbox
  const router = new Hono()

  router.get('/', async (context) => {
    const lost = { ...(await countRows(pool)), 'faults that are on': faults.list().length }
    return renderPage(context, sandbox, {
      title: 'Reset',
      path: '/reset',
      body: html`<h1>Reset the sandbox</h1>
<p class="sub">Everything below is removed, and the clock shows real time again. It cannot be undone. What a dashboard has stored of it stays there.</p>
<div class="card pad"><dl class="facts">${Object.entries(lost).map(
        ([what, count]) => html`<dt>${what}</dt><dd class="num">${count.toLocaleString('en')}</dd>`,
      )}<dt>the clock</dt><dd>${describeClock(clock) || 'real time already'}</dd></dl></div>
<form method="post" action="/reset" class="row spaced"><button class="btn danger">Remove everything</button><a class="btn" href="/">Keep it</a></form>`,
    })
  })

  router.post('/', async (context) => {
    await reset(sandbox)
    return context.redirect('/?reset=done', 303)
  })

  return router
}
