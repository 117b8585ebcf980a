import crypto from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { NotAllowed, SignInAgain } from '#lib/request/refusals.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { withPersonDatabase } from '../../test/person-database.ts'
import { bodiesOf, valuesOf } from '../../test/sample-people.ts'
import { allowExport, exportUser } from './allow-export.ts'
import { userData } from './user-data.ts'

const { pool, known } = withPersonDatabase()

it('gives out all that is held of a person, and writes down who asked', async () => {
  const ana = await known()
  const admin = callerWith('admin')
  const form = { userUuid: ana.userUuid, reason: 'asked for' }
  await expect(allowExport(callerWith('support'), form, newBrowser())).rejects.toThrow(NotAllowed)
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowExport(stale, form, newBrowser())).rejects.toThrow(SignInAgain)
  const { ticket } = await allowExport(admin, form, newBrowser())
  const wrong: [Parameters<typeof exportUser>[0], string, string][] = [
    [callerWith('admin'), ana.userUuid, ticket],
    [admin, crypto.randomUUID(), ticket],
    [admin, ana.userUuid, `${Date.now() + 90_000}.${ticket.split('.')[1]}`],
    [admin, ana.userUuid, ''],
  ]
  for (const one of wrong) expect(() => exportUser(...one)).toThrow(NotAllowed)
  const text = (await Array.fromAsync(exportUser(admin, ana.userUuid, ticket))).join('')
  const held = JSON.parse(text)
  for (const value of valuesOf(ana)) expect(text.toLowerCase()).toContain(value.toLowerCase())
  expect(held.events).toHaveLength(bodiesOf(ana).length)
  expect(held.transactions).toHaveLength(2)
  expect(held).toMatchObject({ signIns: [{ method: 'code' }], directory: [{ email: ana.email }] })
  expect(held.audit).toMatchObject([{ action: 'user.export' }])
  const nobody = (await Array.fromAsync(userData(pool(), crypto.randomUUID()))).join('')
  expect(JSON.parse(nobody)).toMatchObject({ directory: [], events: [] })
})

vi.setConfig({ testTimeout: 60_000 })
