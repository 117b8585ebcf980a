import { Hono } from 'hono'
import { html } from 'hono/html'
import { findAccounts } from '../control/search.ts'
import { countRows, listMail, reset } from '../control/state-routes.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { describeClock, renderPage } from './page.ts'
import { badge, copyButton, timeElement } from './pieces.ts'

/** The pages show the mails with one-time passwords, newest first. */
export function mailboxPages(sandbox: SandboxWithLoad) {
  const { pool, options } = sandbox
  const router = new Hono()

  router.get('/', async (context) => {
    const email = context.req.query('email')?.trim() || undefined
    const [mails, { accounts }] = await Promise.all([
      listMail(pool, email),
      findAccounts(pool, undefined, chipCount),
    ])
    const chip = (address: string | undefined, label: string) =>
      html`<a class="chip" href="/mailbox${address ? `?email=${encodeURIComponent(address)}` : ''}"
        ${address === email ? html`aria-current="true"` : ''}>${label}</a>`
    return renderPage(context, sandbox, {
      title: 'Mailbox',
      path: '/mailbox',
      refreshes: true,
      body: html`<h1>Mailbox</h1>
<p class="sub">Every mail with a one-time password lands here, newest first. New ones appear automatically.${options.olderCodes === 'dead' ? ' A new code makes the older ones invalid.' : ''}</p>
<form method="get" action="/mailbox" class="fields filter"><label>Mails to the address<input type="search" name="email" value="${email ?? ''}" placeholder="everyone" spellcheck="false"></label><button class="btn">Show</button></form>
<div class="chips">${chip(undefined, 'Everyone')}${accounts.map((account) => chip(account.email, account.email))}</div>
<div class="card">${
        mails.length === 0
          ? html`<p class="empty">No mail${email ? html` for ${email}` : ''} yet. Ask for a code on a sign-in page and it appears here.</p>`
          : html`<ul>${mails.toReversed().map(
              (mail) => html`<li><div class="grow"><div class="name">${mail.email}</div>
<div class="muted">${mail.bounced ? html`${badge('fail', 'Bounced')} The address takes no mail. ` : 'Your one-time password · '}${timeElement(mail.sent_at)}</div></div>
<span class="code">${mail.code}</span>${copyButton(mail.code, 'code')}</li>`,
            )}</ul>`
      }</div>`,
    })
  })

  return router
}

/** The page links this many of the newest users. */
const chipCount = 8

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
<p class="sub">What was wrong with each, newest first. It says more than the answer did. New ones appear automatically.</p>
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
