import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { Refusal } from '../http/refusal.ts'
import { NewUser } from '../http/user-routes.ts'
import type { Sandbox } from '../sandbox.ts'
import { type Account, createAccount, listAccounts } from '../service/accounts.ts'
import { countries } from '../service/countries.ts'
import { renderPage } from './page.ts'
import { copyButton, shortId } from './pieces.ts'

/** The users, and a form that adds one. */
export function userPages({ pool, clock }: Sandbox) {
  const router = new Hono()

  router.get('/', async (context) =>
    renderPage(context, { title: 'Users', path: '/users', body: usersBody(await listAccounts(pool), {}) }),
  )

  router.post('/', async (context) => {
    const typed = await context.req.parseBody()
    const form = Object.fromEntries(
      Object.entries(typed).flatMap(([name, value]) =>
        typeof value === 'string' && value ? [[name, value]] : [],
      ),
    )
    const privateKey = form.key_pair ? generatePrivateKey() : undefined
    const target_address = privateKey ? privateKeyToAccount(privateKey).address : form.target_address
    const parsed = NewUser.safeParse({ ...form, target_address })
    if (!parsed.success) {
      const errors = Object.fromEntries(
        parsed.error.issues.map((issue) => [String(issue.path[0]), issue.message]),
      )
      return show({ typed: form, errors }, 400)
    }
    try {
      const account = await createAccount(pool, parsed.data, clock.now())
      return show({ added: { account, privateKey } }, 201)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const field = error.name === 'EmailAlreadyExistsError' ? 'email' : 'target_address'
      return show({ typed: form, errors: { [field]: error.message } }, 409)
    }

    async function show(state: FormState, status: 201 | 400 | 409) {
      const body = usersBody(await listAccounts(pool), state)
      return renderPage(context, { title: 'Users', path: '/users', body, status })
    }
  })

  return router
}

type FormState = {
  typed?: Record<string, string>
  errors?: Record<string, string>
  added?: { account: Account; privateKey: string | undefined }
}

const usersBody = (accounts: Account[], state: FormState) => html`<h1>Users</h1>
<p class="sub">Who can sign in. A code goes to the e-mail address; a wallet must be the one at the target address. An address that ends in .invalid bounces.</p>
${state.added ? addedNote(state.added) : ''}
<div class="card">${
  accounts.length === 0
    ? html`<p class="empty">No users yet. Add one below.</p>`
    : html`<ul>${accounts.map(userRow)}</ul>`
}</div>
<h2>Add a user</h2>
<form method="post" action="/users" class="card pad fields" novalidate>
${field(state, 'email', 'E-mail', 'type="email"')}
${field(state, 'first_name', 'First name')}
${field(state, 'last_name', 'Last name')}
<label>Country<select name="country">${countries.map(
  ({ country_code, country_name }) =>
    html`<option value="${country_code}" ${(state.typed?.country ?? 'ES') === country_code ? raw('selected') : ''}>${country_name}</option>`,
)}</select></label>
${field(state, 'target_address', 'Target address (optional)', 'placeholder="0x…" spellcheck="false"')}
<label class="check"><input type="checkbox" name="key_pair" value="yes" ${state.typed?.key_pair ? raw('checked') : ''}> Make a key pair for it</label>
<button class="btn pri">Add user</button>
</form>`

const userRow = (
  account: Account,
) => html`<li><div class="grow"><div class="name">${account.first_name} ${account.last_name}</div>
<div class="muted">${account.email} · ${account.country} · <span class="mono">${account.status}</span></div>
<div class="ids small"><span><span class="muted">uuid</span>${shortId(account.uuid, 'user uuid')}</span>
<span><span class="muted">wallet</span>${account.target_address ? shortId(account.target_address, 'target address') : 'none'}</span></div></div>
<a class="btn tiny" href="/mailbox?email=${encodeURIComponent(account.email)}" aria-label="Mailbox of ${account.email}">Mailbox</a></li>`

function field({ typed, errors }: FormState, name: string, label: string, attributes = '') {
  const error = errors?.[name]
  const describedBy = error ? raw(`aria-invalid="true" aria-describedby="${name}-error"`) : ''
  return html`<label>${label}<input name="${name}" value="${typed?.[name] ?? ''}" autocomplete="off" ${raw(attributes)} ${describedBy}>${
    error ? html`<span class="error" id="${name}-error" role="alert">${error}</span>` : ''
  }</label>`
}

function addedNote({ account, privateKey }: NonNullable<FormState['added']>) {
  if (!privateKey) return html`<p class="note" role="status">${account.first_name} can sign in now.</p>`
  return html`<div class="note warn" role="status"><b>${account.first_name}’s private key, shown only now.</b> Import it into a wallet to sign in; never send anything of value to it.<br>
<span class="mono">${privateKey}</span> ${copyButton(privateKey, 'private key')}</div>`
}
