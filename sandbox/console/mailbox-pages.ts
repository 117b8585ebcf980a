import { Hono } from 'hono'
import { html } from 'hono/html'
import { findAccounts } from '../control/search.ts'
import { listMail } from '../control/state-routes.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { renderPage } from './page.ts'
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
<p class="sub">Every mail with a one-time password lands here, newest first. New ones appear by themselves.${options.olderCodes === 'dead' ? ' A new code makes the older ones invalid.' : ''}</p>
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
