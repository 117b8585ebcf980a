import { randomUUID } from 'node:crypto'
import { type Context, type ErrorHandler, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { findAccounts } from '../control/search.ts'
import { countRows, listMail, reset } from '../control/state-routes.ts'
import { NewUserSchema } from '../http/user-routes.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { type Account, createAccount } from '../service/accounts.ts'
import { countries } from '../service/countries.ts'
import { answerError, notFound, Refusal, withoutKey } from '../service/refusal.ts'
import { assets } from './assets.ts'
import { clockPages } from './clock-pages.ts'
import { endpointPages } from './endpoint-pages.ts'
import { eventPages } from './event-pages.ts'
import { faultPages } from './fault-pages.ts'
import { describeClock, renderPage } from './page.ts'
import {
  badge,
  copyButton,
  errorsOf,
  type FormState,
  field,
  option,
  readForm,
  shortIdMarkup,
  timeElement,
} from './pieces.ts'
import { receiverPages } from './receiver-pages.ts'
import { scenarioPages } from './scenario-pages.ts'

export function consoleRoutes(sandbox: SandboxWithLoad) {
  const router = new Hono({ strict: false })
  router.route('/', assets())
  router.route('/', scenarioPages(sandbox))
  router.route('/mailbox', mailboxPages(sandbox))
  router.route('/users', userPages(sandbox))
  router.route('/endpoints', endpointPages(sandbox))
  router.route('/receiver', receiverPages(sandbox))
  router.route('/events', eventPages(sandbox))
  router.route('/clock', clockPages(sandbox))
  router.route('/faults', faultPages(sandbox))
  router.route('/refused', refusedPages(sandbox))
  router.route('/reset', resetPages(sandbox))
  router.get('*', (context) => {
    throw notFound(`There is nothing at ${withoutKey(context.req.path)}`)
  })
  router.onError(answerErrorPage(sandbox))
  return router
}

/** A person reads this page when a page does not exist or fails, or when a form is refused. A program gets JSON. */
const answerErrorPage =
  (sandbox: SandboxWithLoad): ErrorHandler =>
  (error, context) => {
    if (!context.req.header('accept')?.includes('text/html')) return answerError(error, context, sandbox)
    const { status, title, what } = error instanceof Refusal ? refused(error, context.req.method) : failed()
    return renderPage(context, sandbox, {
      title,
      path: context.req.path,
      status,
      body: html`<h1>${title}</h1><p class="sub">${what}.</p><p><a class="btn" href="/">Back to the scenarios</a></p>`,
    })

    function failed() {
      const errorId = randomUUID()
      sandbox.log.error({ err: error, error_id: errorId }, 'page failed')
      return {
        status: 500,
        title: 'Something went wrong',
        what: `The sandbox’s log tells more, under ${errorId}`,
      } as const
    }
  }

const refused = ({ status, message }: Refusal, method: string) => ({
  status,
  title: method === 'GET' ? 'No such page' : 'That did not work',
  what: message,
})

/** The pages show the mails with one-time passwords, newest first. */
function mailboxPages(sandbox: SandboxWithLoad) {
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
function refusedPages(sandbox: SandboxWithLoad) {
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
function resetPages(sandbox: SandboxWithLoad) {
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

function userPages(sandbox: SandboxWithLoad) {
  const { pool, clock, ids } = sandbox
  const router = new Hono()

  router.get('/', (context) => show(context, {}))

  router.post('/', async (context) => {
    const form = await readForm(context)
    const privateKey = form.key_pair ? generatePrivateKey() : undefined
    const target_address = privateKey ? privateKeyToAccount(privateKey).address : form.target_address
    const parsed = NewUserSchema.safeParse({ ...form, target_address })
    if (!parsed.success) return show(context, { typed: form, errors: errorsOf(parsed.error, hints) }, 400)
    try {
      const account = await createAccount(pool, ids, parsed.data, clock.now())
      return show(context, { added: { account, privateKey } }, 201)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const name = error.name === 'EmailAlreadyExistsError' ? 'email' : 'target_address'
      return show(context, { typed: form, errors: { [name]: error.message } }, 409)
    }
  })

  return router

  async function show(context: Context, state: UserFormState, status: 200 | 201 | 400 | 409 = 200) {
    const text = context.req.query('text')?.trim() || undefined
    const body = usersBody({ text, ...(await findAccounts(pool, text, mostUsers)) }, state)
    return renderPage(context, sandbox, { title: 'Users', path: '/users', body, status })
  }
}

const mostUsers = 100

const hints = {
  email: 'Must be an e-mail address',
  first_name: 'Must be 1 to 100 characters',
  last_name: 'Must be 1 to 100 characters',
  target_address: 'Must be 0x and 40 hexadecimal digits',
}

type UserFormState = FormState & { added?: { account: Account; privateKey: string | undefined } }

interface Found {
  readonly text: string | undefined
  readonly accounts: Account[]
  readonly total: number
}

const usersBody = ({ text, accounts, total }: Found, state: UserFormState) => html`<h1>Users</h1>
<p class="sub">Who can sign in. A code goes to the e-mail address; a wallet must be the one at the target address. An address that ends in .invalid bounces.</p>
${state.added ? addedNote(state.added) : ''}
${addForm(state, accounts.length === 0 && !text)}
<form method="get" action="/users" class="fields filter"><label>Find by name, e-mail, wallet or UUID<input type="search" name="text" value="${text ?? ''}"></label><button class="btn">Filter</button></form>
<div class="card">${
  accounts.length === 0
    ? html`<p class="empty">${text ? html`No user fits. <a href="/users">Show all</a>` : 'No users yet. Add one above.'}</p>`
    : html`<ul>${accounts.map(userRow)}</ul>`
}</div>
${total > accounts.length ? html`<p class="muted">The newest ${accounts.length} of ${total.toLocaleString('en')} are shown. Filter to find the others.</p>` : ''}`

const addForm = (
  state: UserFormState,
  empty: boolean,
) => html`<details class="card" ${raw(empty || state.errors ? 'open' : '')}><summary class="name">Add a user</summary>
<div><form method="post" action="/users" class="fields" novalidate>
${field(state, 'email', 'E-mail', { attributes: 'inputmode="email"' })}
${field(state, 'first_name', 'First name')}
${field(state, 'last_name', 'Last name')}
<label>Country<select name="country">${countries.map(({ country_code, country_name }) =>
  option(country_code, country_name, country_code === (state.typed?.country ?? 'ES')),
)}</select></label>
${field(state, 'target_address', 'Target address (optional)', { attributes: 'placeholder="0x…" spellcheck="false"' })}
<label class="check"><input type="checkbox" name="key_pair" value="yes" ${state.typed?.key_pair ? raw('checked') : ''}> Make a key pair for it</label>
<button class="btn pri">Add user</button>
</form></div></details>`

const userRow = (
  account: Account,
) => html`<li><div class="grow"><div class="name">${account.first_name} ${account.last_name}</div>
<div class="muted">${account.email} · ${account.country} · <span class="mono">${account.status}</span></div>
<div class="ids small"><span><span class="muted">uuid</span>${shortIdMarkup(account.uuid, 'user uuid')}</span>
<span><span class="muted">wallet</span>${account.target_address ? shortIdMarkup(account.target_address, 'target address') : 'none'}</span></div></div>
<a class="btn tiny" href="/?user=${account.uuid}" aria-label="Play a scenario for ${account.email}">Play</a>
<a class="btn tiny" href="/mailbox?email=${encodeURIComponent(account.email)}" aria-label="Mailbox of ${account.email}">Mailbox</a></li>`

function addedNote({ account, privateKey }: NonNullable<UserFormState['added']>) {
  if (!privateKey) return html`<p class="note" role="status">${account.first_name} can sign in now.</p>`
  return html`<div class="note warn" role="status"><b>${account.first_name}’s private key, shown only now.</b> Import it into a wallet to sign in; never send anything of value to it.<br>
<span class="mono">${privateKey}</span> ${copyButton(privateKey, 'private key')}</div>`
}
