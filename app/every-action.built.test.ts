import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { roles } from '#lib/access/rules/roles.ts'
import { builtActionId, builtActions } from '../test/built-actions.ts'
import { actions, idFields, wantReason } from '../test/entries.ts'
import {
  type EveryRole,
  type Ids,
  mayUse,
  startForEveryRole,
  uncompressed,
  unknownIds,
} from '../test/every-role.ts'

// The test checks every server action of one table, which test/entries.test.ts compares with the sources: each role,
// signed out, another person's ids, another origin.

let all: EveryRole
let before: unknown
beforeAll(async () => {
  all = await startForEveryRole()
  before = await all.things.read()
})
afterAll(() => all.stop())

test('each action that was built has a line in test/entries.ts', () => {
  const built = Object.values(builtActions()).map(
    ({ exportedName, filename }) => `${filename.replace(/^app\//, '')} ${exportedName}`,
  )
  // An action that no page uses is not built.
  expect(Object.keys(actions)).toEqual(expect.arrayContaining(built))
})

async function call(
  name: string,
  cookie: string | null,
  origin: string | null,
  body: string | ReadableStream = '[{}]',
): Promise<string> {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: {
      ...uncompressed,
      'next-action': builtActionId(name),
      'content-type': 'text/plain;charset=UTF-8',
      ...(cookie ? { cookie } : { cookie: `${all.server.cookieName('browser')}=b` }),
      ...(origin ? { origin } : {}),
    },
    body,
    duplex: 'half',
    redirect: 'manual',
  }
  return (await fetch(`${all.server.url}${cookie ? '/account' : '/sign-in'}`, init)).text()
}

/** The body comes without a length, as browsers send one of unknown size. */
const inPieces = (characters: number) =>
  new Blob([JSON.stringify([{ merchantName: 'x'.repeat(characters) }])]).stream()

/** The form names a thing of every kind. */
const formAbout = (ids: Ids) =>
  JSON.stringify([
    {
      ...Object.fromEntries(Object.entries(idFields).map(([field, kind]) => [field, ids[kind]])),
      subject: `transaction:${ids.transaction}`,
      reason: 'A customer asked',
      passkeyName: 'Taken',
    },
  ])

const denied = 'Your role does not allow this.'
const foreign = 'This request did not come from this dashboard.'

const entries = Object.entries(actions).map(([one, who], nthAction) => [one, who, nthAction] as const)
/** One wrapper of all actions refuses these. A caller that gives none is refused too. */
const foreignOrigins = [null, 'https://evil.example', 'null']

describe.each(entries)('%s', (one, who, nthAction) => {
  const name = one.split(' ')[1] ?? ''

  test.each(roles)('is as the table has it for %s', async (role) => {
    const text = await call(name, all.cookieOf(role), all.server.url)
    expect(text).toMatch(/"kind":"(done|invalid|refused|signed-out)"/)
    if (who !== 'setting-up') expect(text.includes(denied)).toBe(!mayUse(role, who))
    else expect(text).toContain('Open your link again')
    if (who === 'anyone') return
    const [, wanted = '{}'] = /"fields":(\{.*?\})/.exec(text) ?? []
    const ids = Object.keys(JSON.parse(wanted)).filter((field) => /(Id|Uuid)$/.test(field))
    expect(Object.keys(idFields), 'idFields in test/entries.ts').toEqual(expect.arrayContaining(ids))
  })

  if (who === 'setting-up' || !mayUse('admin', who) || !mayUse('end-user', who) || isForOwn(who))
    test('does not reveal that the thing of another person exists', async () => {
      // A role that may work on everybody's things would change them.
      const others = roles.filter((role) => who === 'setting-up' || isForOwn(who) || !mayUse(role, who))
      // A customer asks each action, and the others take turns.
      const staff = others.filter((role) => role !== 'end-user')
      const asking = new Set([others[0], staff[nthAction % staff.length]])
      for (const role of asking) {
        if (role === undefined) continue
        const ask = async (ids: Ids) =>
          (await call(name, all.cookieOf(role), all.server.url, formAbout(ids))).match(
            /"(?:kind|title)":"[^"]*"/g,
          )
        const answered = await ask(all.things.ids)
        expect(answered, role).not.toBeNull()
        expect(answered, role).toEqual(await ask(unknownIds()))
      }
    })

  test('asks for a sign-in without a session', async () => {
    const text = await call(name, null, all.server.url)
    if (who === 'anyone') expect(text).not.toContain('"kind":"signed-out"')
    else if (who !== 'setting-up') expect(text).toContain('"kind":"signed-out"')
  })

  test.each([foreignOrigins[nthAction % foreignOrigins.length] ?? null])(
    'does nothing for the origin %s',
    async (origin) => {
      const text = await call(name, all.cookieOf('admin'), origin)
      expect(text).not.toMatch(/"kind":"(done|invalid)"/)
      if (origin === null) expect(text).toContain(foreign)
    },
  )
})

test('no action changed anything of another person', async () => {
  expect(await all.things.read()).toEqual(before)
})

const formsWithout = Object.entries(wantReason).flatMap(([name, forms]) =>
  forms.map((form) => [name, form] as const),
)

/** An admin sends this form, and the action complains about these fields. */
async function complaintsAbout(name: string, form: object): Promise<string[]> {
  const text = await call(name, all.cookieOf('admin'), all.server.url, JSON.stringify([form]))
  const [, fields = '{}'] = /"fields":(\{.*?\})/.exec(text) ?? []
  return Object.keys(JSON.parse(fields))
}

test.each(formsWithout)('%s demands a reason where %o has none', async (name, form) => {
  expect(await complaintsAbout(name, form)).toContain('reason')
})

test('no other action of a role demands a reason', async () => {
  const demanding: string[] = []
  for (const [one, who] of Object.entries(actions)) {
    const name = one.split(' ')[1] ?? ''
    // A person without a session gives no reason, and nor does an action on the caller's own things.
    if (who === 'anyone' || who === 'setting-up' || isForOwn(who)) continue
    if ((await complaintsAbout(name, {})).includes('reason')) demanding.push(name)
  }
  expect(Object.keys(wantReason)).toEqual(expect.arrayContaining(demanding))
  expect(demanding).toHaveLength(formsWithout.filter(([, form]) => Object.keys(form).length === 0).length)
})

/** The action is about the caller's own things, whoever calls. */
function isForOwn(who: (typeof actions)[string]): boolean {
  return who === 'signed-in' || who === 'see-own'
}

test('a body without a length is read up to 64 KB', async () => {
  const send = (characters: number) =>
    call('saveBrandAction', all.cookieOf('admin'), all.server.url, inPieces(characters))
  expect(await send(1_000)).toMatch(/"kind":"invalid"/)
  expect(await send(1_000_000)).not.toMatch(/"kind"/)
})

test('the audit counts denied attempts, without an entry for each', async () => {
  const attempts = 10
  const ask = () => fetch(`${all.server.url}/endpoints`, { headers: { cookie: all.cookieOf('end-user') } })
  await Promise.all(Array.from({ length: attempts }, ask))
  const denied = await listDenied(all.ana)
  expect(denied).toContainEqual({ role: 'end-user', target: 'action: manage-endpoints', ...anyCounts })
  const [page] = denied.filter(({ target }) => target === '/endpoints')
  expect(page).toMatchObject({ role: 'end-user' })
  expect(page?.times).toBeGreaterThanOrEqual(attempts)
  expect(page?.rows).toBeLessThan(attempts)
  // Attempts without a session are written once a second.
  await expect
    .poll(() => listDenied(''), { timeout: 15_000 })
    .toContainEqual({ role: '', target: 'action: manage-endpoints', ...anyCounts })
})

const anyCounts = { times: expect.any(Number), rows: expect.any(Number) }

/** The audit says what somebody was denied, how often, and in how many rows, as soon as its minute is over. */
async function listDenied(actor: string): Promise<z.infer<typeof DeniedSchema>> {
  return DeniedSchema.parse((await all.pool.query(DENIED, [actor])).rows)
}

const DeniedSchema = z.array(
  z.object({ role: z.string(), target: z.string(), times: z.number(), rows: z.number() }),
)

const DENIED = `
  SELECT role, target, sum(count)::int AS times, count(*)::int AS rows FROM (
    SELECT actor, actor_role AS role, action, target, count FROM audit_counter
    UNION ALL
    SELECT COALESCE(actor, ''), COALESCE(actor_role, ''), action, target, (details ->> 'count')::int FROM audit
  ) AS counted
  WHERE action = 'access.denied' AND actor = $1 GROUP BY role, target`
