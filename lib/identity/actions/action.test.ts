import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { ActionState } from '#lib/platform/forms/action-state.ts'
import { CursorRefused, InvalidInput, NotSignedIn, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { callerWith } from '../../../test/callers.ts'
import { addSecret, configure } from '../../../test/service.ts'
import { type ActionRequest, runAction } from './action.ts'

beforeAll(() => configure({ PUBLIC_URL: 'https://dash.example' }))

const FormSchema = z.object({
  name: z.string().min(3, 'At least three letters.'),
  list: z.array(z.string()).optional(),
})
const admin = callerWith('admin')
const from = (origin: string | null) => new Headers(origin === null ? {} : { origin })
const usual: ActionRequest = {
  headers: from('https://dash.example'),
  caller: admin,
  settingUp: null,
  lastCallerId: admin.id,
  input: { name: 'Rampart' },
  language: 'en',
  onDenied: async (caller, what) => void denied.push(`${caller?.role ?? 'nobody'} ${what}`),
}

const denied: string[] = []
let performed = 0
const count = async () => ++performed

const ask = (request: Partial<ActionRequest>, perform: () => Promise<unknown> = count) =>
  runAction([FormSchema, 'manage-endpoints', perform], { ...usual, ...request }, {})

async function isRefused(answer: Promise<ActionState<unknown>>, title: string) {
  const before = performed
  expect(await answer).toMatchObject({ kind: 'refused', title, values: { name: 'Rampart' } })
  expect(performed).toBe(before)
}

describe('a server action', () => {
  it('counts what was denied, whether or not anybody is signed in', async () => {
    denied.length = 0
    await ask({ caller: callerWith('support') })
    await ask({ caller: null })
    await ask({ headers: from('https://evil.example') })
    await ask({ headers: from('https://evil.example'), caller: null })
    await ask({})
    expect(denied).toEqual([
      'support action: manage-endpoints',
      'nobody action: manage-endpoints',
      'admin another origin',
      'nobody another origin',
    ])
  })

  it('is given texts that PostgreSQL takes, wherever they come from', async () => {
    const seen: unknown[] = []
    const given = { name: 'a\0bc', list: ['\0', 'b'] }
    const guarded = [FormSchema, 'anyone', async (_caller: unknown, form: object) => seen.push(form)] as const
    await runAction([...guarded], { ...usual, input: given }, {})
    expect(seen).toEqual([{ name: 'a\ufffdbc', list: ['\ufffd', 'b'] }])
  })

  it('is performed for a caller with the role, from our own address, with input of the right shape', async () => {
    expect(await ask({})).toEqual({ kind: 'done', value: performed })
  })

  it.each([null, 'null', 'https://evil.example', 'http://dash.example', 'https://dash.example.evil.example'])(
    'is refused when it comes from %s',
    (origin) => isRefused(ask({ headers: from(origin) }), 'This request did not come from this dashboard.'),
  )

  it.each(['support', 'compliance', 'auditor', 'end-user'] as const)('is refused to the role %s', (role) =>
    isRefused(ask({ caller: callerWith(role) }), 'Your role does not allow this.'),
  )

  it('asks to sign in when nobody is, and keeps what was typed', async () => {
    const answer = await ask({ caller: null })
    expect(answer).toEqual({ kind: 'signed-out', as: expect.any(String), values: { name: 'Rampart' } })
    expect(JSON.stringify(answer)).not.toContain(admin.id)
    expect(await ask({ caller: null, lastCallerId: null })).toMatchObject({ kind: 'signed-out', as: null })
  })

  it('reads no form of somebody who may not send it', async () => {
    let reads = 0
    const schema = z.preprocess((form) => {
      reads += 1
      return form
    }, FormSchema)
    const send = (request: Partial<ActionRequest>) =>
      runAction([schema, 'manage-endpoints', count], { ...usual, ...request }, {})
    expect(await send({ caller: null })).toMatchObject({ kind: 'signed-out', values: { name: 'Rampart' } })
    expect(await send({ caller: callerWith('support') })).toMatchObject({ kind: 'refused' })
    expect(reads).toBe(0)
    expect(await send({})).toMatchObject({ kind: 'done' })
    expect(reads).toBe(1)
  })

  it('is repeated for the same user after signing in again, and for nobody else', async () => {
    const answer = await ask({ caller: null })
    const repeatAs = answer.kind === 'signed-out' ? answer.as : ''
    const input = { name: 'Rampart', repeatAs }
    expect(await ask({ input })).toMatchObject({ kind: 'done' })
    await isRefused(ask({ input, caller: callerWith('admin') }), 'You signed in as somebody else.')
    await isRefused(ask({ input: { ...input, repeatAs: '' } }), 'You signed in as somebody else.')
  })

  it('is repeated after the server got another secret, too', async () => {
    const answer = await ask({ caller: null })
    const repeatAs = answer.kind === 'signed-out' ? answer.as : ''
    addSecret()
    expect(await ask({ input: { name: 'Rampart', repeatAs } })).toMatchObject({ kind: 'done' })
    expect(await ask({ caller: null })).not.toMatchObject({ as: repeatAs })
  })

  it('asks to sign in again when the service session has ended', async () => {
    const ended = async () => {
      throw new SignInAgain()
    }
    const signedOut = async () => {
      throw new NotSignedIn()
    }
    const whenSignedOut = await ask({ caller: null })
    expect(await ask({}, ended)).toEqual(whenSignedOut)
    expect(await ask({}, signedOut)).toEqual(whenSignedOut)
  })

  it('answers bad input with words beside the field, and keeps what was typed', async () => {
    const before = performed
    expect(await ask({ input: { name: 'ab', list: ['x', 'y'] } })).toEqual({
      kind: 'invalid',
      fields: { name: 'At least three letters.' },
      values: { name: 'ab', list: ['x', 'y'] },
    })
    expect(performed).toBe(before)
  })

  it('answers known fields alone with what was typed, however much was sent', async () => {
    const answer = await ask({ input: { name: 'ab', other: 'x'.repeat(60_000), list: ['x'] } })
    expect(answer).toMatchObject({ kind: 'invalid', values: { name: 'ab', list: ['x'] } })
    expect(JSON.stringify(answer).length).toBeLessThan(200)
  })

  it.each<[string, z.ZodType]>([
    ['alternatives', z.discriminatedUnion('to', [z.object({ to: z.literal('a'), name: z.string().min(3) })])],
    ['a check of all of it', z.object({ name: z.string().min(3) }).refine(() => true)],
    ['something made of it', z.object({ name: z.string().min(3) }).transform((form) => form.name)],
    ['something done to it first', z.preprocess((form) => form, z.object({ name: z.string().min(3) }))],
  ])('knows the fields of a form with %s', async (_what, schema) => {
    const request = { ...usual, input: { to: 'a', name: 'ab', other: 'x' } }
    const answer = await runAction([schema, 'manage-endpoints', count], request, {})
    expect(answer).toMatchObject({ kind: 'invalid', values: { name: 'ab' } })
    expect(answer).not.toMatchObject({ values: { other: 'x' } })
  })

  it('answers what a use case refuses', async () => {
    const refuse = async () => {
      throw new Refused('no-mail-server')
    }
    const invalid = async () => {
      throw new InvalidInput({ name: 'It is taken.' })
    }
    const refuseCursor = async () => {
      throw new CursorRefused()
    }
    expect(await ask({}, refuse)).toMatchObject({
      kind: 'refused',
      title: 'No mail server is set.',
      next: 'Nothing was sent. Set SMTP_URL and MAIL_FROM, and start Rampart again.',
    })
    expect(await ask({}, refuseCursor)).toMatchObject({
      kind: 'refused',
      next: 'Begin at the top of the list.',
    })
    expect(await ask({}, invalid)).toMatchObject({ kind: 'invalid', fields: { name: 'It is taken.' } })
  })

  it('throws an error that is no refusal', async () => {
    const fail = async () => {
      throw new TypeError('x is not a function')
    }
    await expect(ask({}, fail)).rejects.toThrow(TypeError)
  })

  it('for whoever sets up a way to sign in is for nobody else, and they are let in nowhere else', async () => {
    const settingUp = callerWith('end-user', { userUuid: null, memberId: 'm', method: 'link' })
    const setUp = (request: Partial<ActionRequest>) =>
      runAction(
        [FormSchema, 'setting-up', async (caller: Caller) => caller.id],
        { ...usual, caller: null, settingUp, ...request },
        {},
      )
    expect(await setUp({})).toEqual({ kind: 'done', value: 'm' })
    expect(await setUp({ input: { name: 'x' } })).toMatchObject({ kind: 'invalid' })
    expect(await setUp({ headers: from('https://evil.example') })).toMatchObject({ kind: 'refused' })
    await isRefused(
      setUp({ caller: admin, settingUp: null }),
      'This took too long, or was continued elsewhere.',
    )
    expect(await ask({ caller: null, settingUp })).toMatchObject({ kind: 'signed-out' })
  })

  it('lets anybody in where anybody may come, but from our own address only', async () => {
    const open = (origin: string | null) =>
      runAction(
        [FormSchema, 'anyone', async (caller: Caller | null) => caller],
        { ...usual, headers: from(origin), caller: null },
        {},
      )
    expect(await open('https://dash.example')).toEqual({ kind: 'done', value: null })
    expect(await open(null)).toMatchObject({ kind: 'refused' })
  })
})
