import { type Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { findAccounts } from '../control/search.ts'
import { NewUserSchema } from '../http/user-routes.ts'
import type { SandboxWithLoad } from '../load/load.ts'
import { type Account, createAccount } from '../service/accounts.ts'
import { countries } from '../service/countries.ts'
import { Refusal } from '../service/refusal.ts'
import { renderPage } from './page.ts'
import { copyButton, errorsOf, type FormState, field, option, readForm, shortIdMarkup } from './pieces.ts'

export function userPages(sandbox: SandboxWithLoad) {
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
