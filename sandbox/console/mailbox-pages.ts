import { Hono } from 'hono'
import { html } from 'hono/html'
import { listMail } from '../control/list-mail.ts'
import type { Sandbox } from '../sandbox.ts'
import { listAccounts } from '../service/accounts.ts'
import { renderPage } from './page.ts'
import { badge, copyButton, moment } from './pieces.ts'

/** The mails with one-time passwords, newest first. */
export function mailboxPages({ pool }: Sandbox) {
  const router = new Hono()

  router.get('/', async (context) => {
    const email = context.req.query('email')?.trim() || undefined
    const [mails, accounts] = await Promise.all([listMail(pool, email), listAccounts(pool)])
    const chip = (address: string | undefined, label: string) =>
      html`<a class="chip" href="/mailbox${address ? `?email=${encodeURIComponent(address)}` : ''}"
        ${address === email ? html`aria-current="true"` : ''}>${label}</a>`
    return renderPage(context, {
      title: 'Mailbox',
      path: '/mailbox',
      refreshes: true,
      body: html`<h1>Mailbox</h1>
<p class="sub">Every mail with a one-time password lands here, newest first. New ones appear by themselves. A new code makes the older ones invalid.</p>
<div class="chips">${chip(undefined, 'Everyone')}${accounts.slice(0, 12).map((account) => chip(account.email, account.email))}</div>
<div class="card">${
        mails.length === 0
          ? html`<p class="empty">No mail${email ? html` for ${email}` : ''} yet. Ask for a code on a sign-in page and it appears here.</p>`
          : html`<ul>${mails.toReversed().map(
              (mail) => html`<li><div class="grow"><div class="name">${mail.email}</div>
<div class="muted">${mail.bounced ? html`${badge('fail', 'Bounced')} The address takes no mail. ` : 'Your one-time password · '}${moment(mail.sent_at)}</div></div>
<span class="code">${mail.code}</span>${copyButton(mail.code, 'code')}</li>`,
            )}</ul>`
      }</div>`,
    })
  })

  return router
}
