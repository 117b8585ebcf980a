import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { NoticeKind } from '#lib/audit/labels/notice-labels.ts'
import { changeEndpoint, setStatus } from '#lib/endpoints/change-endpoint.ts'
import { allowGapExport } from '#lib/endpoints/gaps/gaps.ts'
import { repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { deleteEndpoint, finishReplacement, replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { StartReplaySchema } from '#lib/endpoints/replays/replay-forms.ts'
import { allowResultsExport } from '#lib/endpoints/replays/replays.ts'
import { resumeReplay, startReplay } from '#lib/endpoints/replays/start-replay.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { changeApiKey, shareVerification } from '#lib/endpoints/service-key/change-api-key.ts'
import { invite } from '#lib/identity/links/invitations.ts'
import { changeRole, removeMember } from '#lib/identity/members/change-members.ts'
import {
  addAlertChannel,
  changeAlertChannel,
  removeAlertChannel,
} from '#lib/operations/alerts/alert-channels.ts'
import { changeAlertRule } from '#lib/operations/alerts/alert-rules.ts'
import { allowAlertsExport } from '#lib/operations/alerts/export-alerts.ts'
import { restoreSentence, saveSentence } from '#lib/operations/settings/sentences.ts'
import {
  changeSettings,
  LogMonthsSchema,
  RetentionSchema,
  saveBrand,
  saveLogMonths,
  saveRetention,
  saveRules,
} from '#lib/operations/settings/settings-forms.ts'
import { eraseUser } from '#lib/people/erasure/erase-user.ts'
import { allowExport } from '#lib/people/erasure/export-user.ts'
import { checkImport } from '#lib/people/import/check-import.ts'
import { allowImportExport, startImport } from '#lib/people/import/list-imports.ts'
import { allowStandingsExport } from '#lib/people/standings/export-standings.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { allowLinesExport } from '#lib/search/export-lines.ts'
import { allowTransactionsExport } from '#lib/search/export-transactions.ts'
import { search } from '#lib/search/search.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { updateWebhookEndpoint } from '#lib/service/webhook-endpoints.ts'
import { revealBirthDate, revealField } from '#lib/transactions/reveal/reveal.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { createElsewhere, createHere, elsewhere } from '../../../test/endpoints.ts'
import { foldBodies } from '../../../test/fold-bodies.ts'
import { sensitive } from '../../../test/sensitive-actions.ts'
import { addUserToService, startService, type TestService } from '../../../test/service.ts'
import { control, watch } from '../../../test/watched.ts'
import { allowAuditExport } from '../export-audit.ts'
import { listNotices } from './notices.ts'

// Each action that needs a fresh sign-in has a notice that informs all admins.

const kim = callerWith('admin', { name: 'Kim' })
/** Lee is another admin, who reads the notices. */
const lee = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'
const transactions = [crypto.randomUUID(), crypto.randomUUID()]
const channel = {
  kind: 'slack',
  name: 'Slack',
  address: 'https://merchant.example/hook',
  quietFrom: null,
  quietUntil: null,
  zone: null,
  reason,
} as const
const sentence = { language: 'en', key: 'steps.fiatToCrypto.ON_HOLD.meaning' } as const

let service: TestService
beforeAll(async () => {
  service = await startService()
  await aMember('admin', kim.memberId ?? '')
  const parties = { senderDetails: { accountDetails: { iban: 'DE89370400440532013000' } } }
  const bodies = transactions.map((transactionUuid) => ({
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid: crypto.randomUUID(),
    data: { transactionUuid, ...parties },
  }))
  await foldBodies(bodies, Date.now() - 3_600_000)
})
afterAll(() => service.stop())

/** A case prepares the data of an action and returns the action. */
type Case = () => Promise<() => Promise<unknown>>

const reported: Readonly<Record<string, readonly [NoticeKind, Case]>> = {
  createEndpointAction: ['endpoint-created', async () => () => createElsewhere({ caller: kim })],
  changeEndpointAction: [
    'endpoint-changed',
    about((form) => changeEndpoint(kim, { ...form, to: 'same', subscribedEvents: ['KYB'] }, browser)),
  ],
  setStatusAction: [
    'endpoint-disabled',
    about((form) => setStatus(kim, { ...form, status: 'disabled' }, browser)),
  ],
  rotateSecretAction: ['secret-rotated', about((form) => rotateSecret(kim, form, browser))],
  repairEndpointAction: [
    'endpoint-taken-over',
    async () => {
      const { endpointUuid } = await createHere()
      return () => repairEndpoint(kim, { endpointUuid, reason }, browser)
    },
  ],
  deleteEndpointAction: ['endpoint-deleted', about((form) => deleteEndpoint(kim, form, browser))],
  replaceEndpointAction: [
    'endpoint-replaced',
    about((form) => replaceEndpoint(kim, { ...form, url: elsewhere() }, browser)),
  ],
  finishReplacementAction: [
    'endpoint-deleted',
    async () => {
      const { endpointUuid: old } = await createElsewhere()
      const form = { endpointUuid: old, url: elsewhere(), reason }
      const { endpointUuid } = await replaceEndpoint(kim, form, browser)
      return () => finishReplacement(kim, { endpointUuid, reason }, browser)
    },
  ],
  startReplayAction: [
    'replay-started',
    async () => {
      const form = StartReplaySchema.parse({ from: '2000-01-01T00:00', kind: 'fold', reason })
      return () => startReplay(kim, form, browser)
    },
  ],
  resumeReplayAction: [
    'replay-resumed',
    async () => {
      const replayId = await aReplay()
      return () => resumeReplay(kim, { replayId, reason, secret: undefined }, browser)
    },
  ],
  inviteAction: [
    'member-invited',
    async () => () => invite(kim, { name: 'Kai', email: undefined, role: 'support', reason }, browser),
  ],
  changeRoleAction: [
    'role-changed',
    async () => {
      const memberId = await aMember('support')
      return () => changeRole(kim, { memberId, role: 'admin', reason }, browser)
    },
  ],
  removeMemberAction: [
    'member-removed',
    async () => {
      const memberId = await aMember('support')
      return () => removeMember(kim, { memberId, reason }, browser)
    },
  ],
  revealFieldAction: [
    'data-revealed',
    async () => () =>
      revealField(
        kim,
        { record: 'transaction', uuid: transactions[0] ?? '', field: 'parties.sender.iban', reason },
        browser,
      ),
  ],
  revealBirthDateAction: [
    'data-revealed',
    async () => {
      const person = await aUser()
      return () => revealBirthDate(callerWith('support'), { person, reason }, browser)
    },
  ],
  allowLinesExportAction: [
    'data-exported',
    async () => {
      const { link } = await search(kim, { text: transactions.join('\n') })
      return () => allowLinesExport(kim, { link: link ?? '', reason }, browser)
    },
  ],
  allowTransactionsExportAction: [
    'data-exported',
    async () => () =>
      allowTransactionsExport(kim, { asked: { texts: {}, link: null, format: 'csv' }, reason }, browser),
  ],
  allowStandingsExportAction: [
    'data-exported',
    async () => () => allowStandingsExport(kim, { list: 'companies', format: 'csv', reason }, browser),
  ],
  allowExportAction: [
    'data-exported',
    async () => {
      const userUuid = await aPerson()
      return () => allowExport(kim, { userUuid, reason }, browser)
    },
  ],
  allowGapExportAction: [
    'data-exported',
    async () => {
      const gapId = uuidv7()
      await pool().query(`INSERT INTO gap (id, kind, about, began_at) VALUES ($1, 'down', '', now())`, [
        gapId,
      ])
      return () => allowGapExport(kim, { gapId, reason }, browser)
    },
  ],
  startImportAction: [
    'import-started',
    async () => {
      const content = (async function* () {
        yield Buffer.from(`user_uuid\n${crypto.randomUUID()}\n`)
      })()
      const { importId } = await checkImport(kim, { name: 'people.csv', content }, browser)
      return () => startImport(kim, { importId, reason }, browser)
    },
  ],
  allowImportExportAction: [
    'data-exported',
    async () => {
      const content = (async function* () {
        yield Buffer.from(`user_uuid\n${crypto.randomUUID()}\n`)
      })()
      const { importId } = await checkImport(kim, { name: 'people.csv', content }, browser)
      return () => allowImportExport(kim, { importId, reason }, browser)
    },
  ],
  allowResultsExportAction: [
    'data-exported',
    async () => {
      const replayId = await aReplay()
      return () => allowResultsExport(kim, { replayId, reason }, browser)
    },
  ],
  allowAlertsExportAction: [
    'data-exported',
    async () => () => allowAlertsExport(kim, { format: 'csv', reason }, browser),
  ],
  allowAuditExportAction: [
    'data-exported',
    async () => () => allowAuditExport(kim, { format: 'csv', reason }, browser),
  ],
  eraseUserAction: [
    'person-erased',
    async () => {
      const userUuid = await aPerson()
      return () => eraseUser(kim, { userUuid, reason }, browser)
    },
  ],
  changeApiKeyAction: [
    'key-changed',
    async () => () => changeApiKey(kim, { apiKey: service.apiKey, reason }, browser),
  ],
  saveRetentionAction: [
    'retention-changed',
    async () => () => saveRetention(kim, RetentionSchema.parse({ KYC: '90', reason }), browser),
  ],
  saveLogMonthsAction: [
    'retention-changed',
    async () => () =>
      saveLogMonths(kim, LogMonthsSchema.parse({ bodies: '12', events: '', reason }), browser),
  ],
  saveRulesAction: ['rules-changed', async () => () => saveRules(kim, { ...rules, reason }, browser)],
  saveBrandAction: [
    'brand-changed',
    async () => () =>
      saveBrand(
        kim,
        { merchantName: null, mark: null, supportContact: 'help@merchant.example', reason },
        browser,
      ),
  ],
  changeAlertRuleAction: [
    'alerts-changed',
    async () => () =>
      changeAlertRule(
        kim,
        {
          condition: 'silence',
          enabled: false,
          threshold: 5,
          to: 'all',
          channels: [],
          repeatHours: 0,
          reason,
        },
        browser,
      ),
  ],
  addAlertChannelAction: ['alerts-changed', async () => () => addAlertChannel(kim, channel, browser)],
  changeAlertChannelAction: [
    'alerts-changed',
    async () => {
      const { id } = await addAlertChannel(kim, channel, browser)
      await pool().query('DELETE FROM admin_notice')
      const { kind: _, ...rest } = channel
      return () => changeAlertChannel(kim, { ...rest, id, name: 'Another', enabled: false }, browser)
    },
  ],
  removeAlertChannelAction: [
    'alerts-changed',
    async () => {
      const { id } = await addAlertChannel(kim, channel, browser)
      await pool().query('DELETE FROM admin_notice')
      return () => removeAlertChannel(kim, { id, reason }, browser)
    },
  ],
  saveSentenceAction: [
    'words-changed',
    async () => () => saveSentence(kim, { ...sentence, text: 'Paused.' }, browser),
  ],
  restoreSentenceAction: [
    'words-changed',
    async () => {
      await saveSentence(kim, { ...sentence, text: 'Held.' }, browser)
      await pool().query('DELETE FROM admin_notice')
      return () => restoreSentence(kim, sentence, browser)
    },
  ],
  shareVerificationAction: [
    'data-exported',
    async () => {
      // The name is new each time, because a change that changes nothing is refused.
      await changeSettings(kim, { kycShareToken: true, merchantName: crypto.randomUUID() }, browser)
      const userUuid = await aUser()
      return () => shareVerification(kim, { userUuid, reason }, browser)
    },
  ],
}

/** These actions cause no notice, each for the reason given. */
const untold: Readonly<Record<string, string>> = {
  beginOwnPasskeyAction: 'changes nothing yet',
  addOwnPasskeyAction:
    'a way in for somebody who is in already, with no more rights; their own page lists it',
  removePasskeyAction: 'takes a way in from oneself',
}

const rules = {
  publicSignUp: true,
  revealTicketPattern: null,
  ticketAddress: null,
  kycShareToken: true,
  verificationUrl: null,
}

it('whatever wants a fresh sign-in is told to all admins, or is in the list of what is not', () => {
  expect([...Object.keys(reported), ...Object.keys(untold)].toSorted()).toEqual(
    Object.keys(sensitive).toSorted(),
  )
})

it.each(Object.entries(reported))('%s tells all admins', async (_name, [kind, prepare]) => {
  const act = await prepare()
  const { notices: before } = await listNotices(lee, { limit: 1 })
  await act()
  const { notices } = await listNotices(lee, { unseen: true })
  const news = notices.filter(({ id }) => id > (before[0]?.id ?? ''))
  expect(news).toMatchObject([{ kind, seen: false }])
})

it('an endpoint that the service switches off is told to all admins, once each time', async () => {
  const here = await createHere({ description: 'Ours' })
  const there = await createElsewhere({ description: 'The shop' })
  await watch()
  const { notices: before } = await listNotices(lee, { limit: 1 })
  const news = async () => {
    await watch()
    const { notices } = await listNotices(lee, { unseen: true })
    return notices.filter(({ id }) => id > (before[0]?.id ?? '')).map(({ kind, about }) => [kind, about])
  }
  const switchOff = (uuid: string) => control(`/endpoints/${uuid}/auto-disable`)
  expect(await news()).toEqual([])
  await switchOff(there.endpointUuid)
  expect(await news()).toEqual([['endpoint-switched-off', there.endpointUuid]])
  expect(await news()).toHaveLength(1)
  await updateWebhookEndpoint(serviceClient(), there.endpointUuid, { status: 'active' })
  expect(await news()).toHaveLength(1)
  await switchOff(there.endpointUuid)
  await switchOff(here.endpointUuid)
  expect(await news()).toHaveLength(3)
  const { notices } = await listNotices(lee, { limit: 3 })
  const of = (uuid: string) => notices.find((notice) => notice.about === uuid)?.sentence
  expect(of(there.endpointUuid)).toContain('switched off the endpoint “The shop”')
  expect(of(here.endpointUuid)).toContain('switched off the endpoint “Ours”')
})

it('a notice about an endpoint that was seen before names it, and one that finishes a replacement the old one', async () => {
  const { endpointUuid } = await createElsewhere({ description: 'The till' })
  const newest = async () => (await listNotices(lee, { limit: 1 })).notices[0]
  const latest = async () => (await newest())?.sentence
  expect((await newest())?.page).toBe(`/endpoints/${endpointUuid}`)
  expect(await latest()).toContain('created the endpoint “The till” that delivers to https://')
  await watch()
  await rotateSecret(kim, { endpointUuid, reason }, browser)
  expect(await latest()).toContain('rotated the secret of the endpoint “The till”.')
  const second = await replaceEndpoint(kim, { endpointUuid, url: elsewhere(), reason }, browser)
  await finishReplacement(kim, { endpointUuid: second.endpointUuid, reason }, browser)
  expect(await latest()).toContain('deleted the endpoint “The till”.')
})

function about(act: (form: { endpointUuid: string; reason: string }) => Promise<unknown>): Case {
  return async () => {
    const { endpointUuid } = await createElsewhere()
    return () => act({ endpointUuid, reason })
  }
}

async function aMember(role: string, memberId: string = uuidv7()) {
  await pool().query('INSERT INTO member (id, name, role) VALUES ($1, $3, $2)', [memberId, role, 'Sam'])
  return memberId
}

async function aPerson() {
  const userUuid = crypto.randomUUID()
  await pool().query(`INSERT INTO person (user_uuid, source) VALUES ($1, 'test')`, [userUuid])
  return userUuid
}

/** The service knows this user. */
const aUser = () => addUserToService(service, { date_of_birth: '1990-02-03' })

async function aReplay(): Promise<string> {
  const id = uuidv7()
  await pool().query(
    `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
     VALUES ($1, 'fold', '{}', 1, '', '', 0, 'stopped')`,
    [id],
  )
  return id
}
