import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import { changeEndpoint, setStatus } from '#lib/endpoints/change-endpoint.ts'
import { closeGap, reopenGap } from '#lib/endpoints/gaps/close-gap.ts'
import { repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { deleteEndpoint, finishReplacement, replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { StartReplaySchema } from '#lib/endpoints/replays/replay-forms.ts'
import { resumeReplay, startReplay, stopReplay } from '#lib/endpoints/replays/start-replay.ts'
import { confirmSecret, rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { changeApiKey, moveService } from '#lib/endpoints/service-key/change-api-key.ts'
import { createSetUpLink, createSignInLink } from '#lib/identity/links/access-links.ts'
import { invite, withdrawInvitation } from '#lib/identity/links/invitations.ts'
import { finishSetUp } from '#lib/identity/links/join-team.ts'
import { openLink } from '#lib/identity/links/set-up.ts'
import { changeRole, removeMember } from '#lib/identity/members/change-members.ts'
import { ensureAdmins } from '#lib/identity/members/lock-team.ts'
import {
  addOwnPasskey,
  beginOwnPasskey,
  removePasskey,
  renamePasskey,
} from '#lib/identity/passkeys/own-passkeys.ts'
import { RegistrationAnswerSchema, SignatureAnswerSchema } from '#lib/identity/passkeys/passkey-challenges.ts'
import { beginConfirmation, confirmWithPasskey } from '#lib/identity/passkeys/verify-passkey.ts'
import { endSession, readSession, readSetUpSession } from '#lib/identity/sessions/read-session.ts'
import { markStrangerAlarmsSeen, raiseStrangerAlarm } from '#lib/identity/sign-in/code-limits.ts'
import { completeSignIn } from '#lib/identity/sign-in/complete-sign-in.ts'
import { requestCode } from '#lib/identity/sign-in/request-code.ts'
import { createAccount } from '#lib/identity/sign-in/sign-up.ts'
import { decideSignUpWallet } from '#lib/identity/sign-in/sign-up-record.ts'
import { linkIdentity, moveIssuer } from '#lib/identity/single-sign-on/find-by-address.ts'
import {
  AddAlertChannelSchema,
  addAlertChannel,
  ChangeAlertChannelSchema,
  changeAlertChannel,
  removeAlertChannel,
  testAlertChannel,
} from '#lib/operations/alerts/alert-channels.ts'
import { changeAlertReceiving } from '#lib/operations/alerts/alert-members.ts'
import { changeAlertRule } from '#lib/operations/alerts/alert-rules.ts'
import { acknowledgeAlert, unacknowledgeAlert } from '#lib/operations/alerts/alerts.ts'
import { retryDeadLettersNow } from '#lib/operations/dead-letters/retry-dead-letters.ts'
import { snooze, unsnooze } from '#lib/operations/overview/snoozes.ts'
import { sendTestMail } from '#lib/operations/settings/read-mail-health.ts'
import { saveSentence } from '#lib/operations/settings/sentences.ts'
import { changeSettings } from '#lib/operations/settings/settings-forms.ts'
import { eraseUser } from '#lib/people/erasure/erase-user.ts'
import { allowExport } from '#lib/people/erasure/export-user.ts'
import { checkImport } from '#lib/people/import/check-import.ts'
import { startImport, stopImport } from '#lib/people/import/list-imports.ts'
import { addPerson, setCustomerNumber } from '#lib/people/manage-people.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { monthNamed } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { keepSettingRow } from '#lib/platform/settings/settings.ts'
import { acceptLoss } from '#lib/timeline/projector/lost-months.ts'
import { addNote, changeNote, removeNote } from '#lib/transactions/notes/notes.ts'
import { openAuthenticator } from '../../test/authenticator.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { createElsewhere, createHere, elsewhere } from '../../test/endpoints.ts'
import { captureLog } from '../../test/log.ts'
import { startService, type TestService } from '../../test/service.ts'
import type { AuditAction } from './record-audit.ts'

// When the audit entry of an action cannot be stored, none of its changes is stored.

const admin = callerWith('admin')
const browser = newBrowser()
const reason = 'a test wants it'
const newAdmin = crypto.randomUUID()
const publicUrl = new URL('http://localhost:3000')

let service: TestService
beforeAll(async () => {
  service = await startService()
  vi.stubEnv('RAMPART_ADMINS', newAdmin)
  await pool().query(NOTE_CHANGES)
})
/** A person's word on a gap is worked on beside the test. */
afterEach(() =>
  expect
    .poll(async () => (await pool().query(`SELECT FROM setting WHERE key LIKE 'fold-again:%'`)).rowCount)
    .toBe(0),
)
afterAll(() => service.stop())

async function aGap(outcome: string | null) {
  const id = uuidv7()
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at, outcome) VALUES ($1, 'down', '', now(), $2)`,
    [id, outcome],
  )
  return id
}

async function aReplay(state: 'running' | 'stopped') {
  const id = uuidv7()
  await pool().query(
    `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
     VALUES ($1, 'fold', '{}', 1, '', '', 0, $2)`,
    [id, state],
  )
  return id
}

const aDelivery = (id = uuidv7()) =>
  pool().query(
    `WITH stored AS (INSERT INTO delivery (id, receiver_id, body) VALUES ($1, gen_random_uuid(), '{}') RETURNING id)
     INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error) SELECT id, now(), 'a test' FROM stored`,
    [id],
  )

/** The session began when its person was an admin, which they are no longer. */
async function aSession() {
  const token = crypto.randomUUID()
  await pool().query(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, gen_random_uuid(), 'code', 'admin', now() + interval '1 hour', now() + interval '1 hour')`,
    [uuidv7(), digestToken(token)],
  )
  return token
}

const anAccount = () => ({
  email: `${crypto.randomUUID()}@demo.test`,
  firstName: 'Ana',
  lastName: 'Lima',
  country: 'ES',
  targetAddress: undefined,
})

const anEndUser = () => callerWith('end-user')

async function aPerson(userUuid: string = crypto.randomUUID()) {
  await pool().query(`INSERT INTO person (user_uuid, source) VALUES ($1, 'test')`, [userUuid])
  return userUuid
}

async function aMember(role = 'support') {
  const memberId = uuidv7()
  await pool().query('INSERT INTO member (id, name, role) VALUES ($1, $3, $2)', [memberId, role, 'Kim Lima'])
  return memberId
}

/** The member has a passkey; the result also signs with it. */
async function aPasskeyOf(member?: Caller) {
  const memberId = member?.memberId ?? (await aMember())
  const caller = callerWith('support', { userUuid: null, memberId })
  const device = openAuthenticator()
  const { challenge } = await beginOwnPasskey(caller, {}, browser)
  const answer = RegistrationAnswerSchema.parse(device.register(challenge))
  const add = () => addOwnPasskey(caller, { answer, passkeyName: 'Phone' }, browser)
  return { caller, device, add }
}

async function anInvitation() {
  const form = { name: crypto.randomUUID(), email: undefined, role: 'support', reason } as const
  const { link } = await invite(admin, form, browser)
  return new URL(link ?? publicUrl).hash.slice(1)
}

async function aTransaction() {
  const uuid = crypto.randomUUID()
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, flags, started_at, last_move_at)
     VALUES ('transaction:' || $1, $1, 'fiatToCrypto', 'PENDING', '{}', now(), now())`,
    [uuid],
  )
  return uuid
}

async function aNote() {
  const note = { subject: `transaction:${await aTransaction()}`, text: 'Rang twice', ticket: undefined }
  return { ...note, ...(await addNote(admin, note, browser)) }
}

async function aChecked() {
  const content = (async function* () {
    yield Buffer.from(`user_uuid\n${crypto.randomUUID()}\n`)
  })()
  return checkImport(admin, { name: 'people.csv', content }, browser)
}

async function aSignUp(userUuid: string | null) {
  await pool().query(
    `INSERT INTO sign_up (user_uuid, browser_digest, target_address, wallet_state) VALUES ($1, sha256($2), '0x1', 'waiting')`,
    [userUuid, Buffer.from(browser.browserId)],
  )
}

const aSnooze = () => ({ kind: 'held' as const, about: `transaction:${crypto.randomUUID()}` })

const snoozed = (what: ReturnType<typeof aSnooze>) =>
  snooze(admin, { ...what, since: new Date().toISOString(), reason }, browser)

/** Every command about somebody else's endpoint begins with these facts. */
const about =
  (
    command: (
      caller: Caller,
      form: { endpointUuid: string; reason: string },
      source: typeof browser,
    ) => Promise<unknown>,
  ): Case =>
  async () => {
    const { endpointUuid } = await createElsewhere()
    return () => command(admin, { endpointUuid, reason }, browser)
  }

/** A case prepares the data and returns the function that causes the entry. */
type Case = () => Promise<() => Promise<unknown>>

async function anAlert(): Promise<string> {
  const id = uuidv7()
  await pool().query(
    `INSERT INTO alert (id, condition, subject, value, worst, threshold, began_at)
     VALUES ($1::uuid, 'dead-letters', $1::uuid::text, 1, 1, 1, now())`,
    [id],
  )
  return id
}

/** The entry of these actions is the only thing that is stored, or the row beside it says no more; each has its reason. */
const alone = {
  'access.denied': 'counted; nothing was done',
  search: 'counted: says that somebody looked',
  'read.person': 'says that somebody looked',
  'read.transaction': 'says that somebody looked',
  'read.subject': 'says that somebody looked',
  'read.list': 'says that somebody looked',
  'read.event': 'says that somebody looked',
  'read.field': 'says that somebody looked',
  'read.body': 'says that somebody looked',
  'read.match': 'says that somebody looked',
  'search.export': 'as user.export',
  'transactions.export': 'as user.export',
  'accounts.export': 'as user.export',
  'companies.export': 'as user.export',
  'gap.export': 'as user.export',
  'audit.export': 'as user.export',
  'alert.export': 'as user.export',
  'replay.export': 'as user.export',
  'user.import-export': 'as user.export',
  'audit.begin-chain': 'a migration writes it',
  'database.restore': 'lib/operations/restore/restore.db.test.ts looks at all that its transaction does',
  'audit.remove-reason': 'the database writes it in the function that removes the reason',
  'audit.verify': 'says that somebody looked',
  'service.key-refused': 'the service has said so',
  'user.share-verification': 'the service does it; an entry says before that it begins',
  'rebuild.start':
    'bin/rampart/projector-commands.ts gives its entry to the transaction that marks the deliveries',
  'log.remove-months': 'says what a run removed, whose steps have transactions of their own',
} as const satisfies Partial<Record<AuditAction, string>>

const aChannel = AddAlertChannelSchema.parse({
  kind: 'webhook',
  name: 'Pager',
  address: 'https://alerts.invalid/hook',
  reason,
})
const aRule = {
  condition: 'dead-letters',
  enabled: true,
  to: 'all',
  repeatHours: 24,
  reason,
} as const

const cases: Record<Exclude<AuditAction, keyof typeof alone>, readonly Case[]> = {
  'log.accept-loss': [
    async () => {
      const month = monthNamed('delivery_2025_01')
      if (!month) throw new Error('this is the name of a month')
      await pool().query(
        `INSERT INTO event (subject_id, id, fingerprint, position, deliveries, first_received_at, last_received_at, flags)
         VALUES ('transaction:' || gen_random_uuid(), $1, '\\x00', 0, 1, now(), now(), '{}')`,
        [month.from],
      )
      return () => acceptLoss(pool(), month)
    },
  ],
  'gap.close': [
    async () => {
      const gapId = await aGap(null)
      return () => closeGap(admin, { gapId, outcome: 'no-gap', reason }, browser)
    },
  ],
  'gap.reopen': [
    async () => {
      const gapId = await aGap('no-gap')
      return () => reopenGap(admin, { gapId, reason }, browser)
    },
  ],
  'replay.start': [
    async () => {
      await aDelivery()
      const form = StartReplaySchema.parse({ from: '2000-01-01T00:00', kind: 'fold', reason })
      return () => startReplay(admin, form, browser)
    },
  ],
  'replay.resume': [
    async () => {
      const replayId = await aReplay('stopped')
      return () => resumeReplay(admin, { replayId, reason, secret: undefined }, browser)
    },
  ],
  'replay.stop': [
    async () => {
      const replayId = await aReplay('running')
      return () => stopReplay(admin, { replayId, reason }, browser)
    },
  ],
  'delivery.try-again': [
    async () => {
      await aDelivery()
      return () => retryDeadLettersNow(admin, { reason }, browser)
    },
  ],
  'endpoint.set-status': [
    about((caller, form, source) => setStatus(caller, { ...form, status: 'disabled' }, source)),
  ],
  'session.start': [
    async () => {
      const answer = { userUuid: crypto.randomUUID(), serviceSessionId: crypto.randomUUID() }
      return () => completeSignIn(answer, { method: 'code', userUuid: answer.userUuid }, browser)
    },
  ],
  'session.end': [
    async () => {
      const token = await aSession()
      return () => endSession(token, 'signed-out', browser)
    },
    async () => {
      const token = await aSession()
      return () => readSession(token, new Date())
    },
  ],
  'code.request': [
    async () => {
      const account = anAccount()
      await createAccount(account, browser)
      return () => requestCode(account, browser)
    },
  ],
  'user.sign-up': [async () => () => createAccount(anAccount(), browser)],
  'settings.change': [
    async () => () => changeSettings(admin, { merchantName: crypto.randomUUID() }, browser),
  ],
  'member.admin': [async () => ensureAdmins],
  'session.confirm': [
    async () => {
      const { caller, device, add } = await aPasskeyOf()
      await add()
      const { challenge } = await beginConfirmation(caller, {}, browser)
      const answer = SignatureAnswerSchema.parse(device.sign(challenge))
      return () => confirmWithPasskey(caller, { answer }, browser)
    },
  ],
  'member.remove': [
    async () => {
      const memberId = await aMember()
      const caller = callerWith('admin', { memberId: await aMember('admin') })
      return () => removeMember(caller, { memberId, reason }, browser)
    },
  ],
  'member.role': [
    async () => {
      const memberId = await aMember()
      const caller = callerWith('admin', { memberId: await aMember('admin') })
      return () => changeRole(caller, { memberId, role: 'auditor', reason }, browser)
    },
  ],
  'member.invite': [async () => anInvitation],
  'member.join': [
    async () => {
      const { token } = await openLink({ token: await anInvitation() }, browser)
      const caller = await readSetUpSession(token, new Date())
      if (!caller) throw new Error('nobody is setting up')
      return () => inTransaction(pool(), (tx) => finishSetUp(tx, caller, 'passkey', browser))
    },
  ],
  'member.link-identity': [
    async () => {
      const member = {
        memberId: await aMember(),
        name: 'Kim',
        role: 'support',
        userUuid: null,
        isRemoved: false,
        hasIdentity: false,
      } as const
      const claims = { iss: 'https://example.com', sub: crypto.randomUUID() }
      return () => inTransaction(pool(), (tx) => linkIdentity(tx, member, claims, browser))
    },
  ],
  'member.move-issuer': [
    async () => {
      const from = 'https://old.example'
      const moved = [from, crypto.randomUUID(), await aMember()]
      await pool().query('UPDATE member SET sso_issuer = $1, sso_subject = $2 WHERE id = $3', moved)
      return () => moveIssuer(pool(), { from, to: 'https://new.example', reason })
    },
  ],
  'invitation.withdraw': [
    async () => {
      await anInvitation()
      const { rows } = await pool().query('SELECT id FROM access_link ORDER BY id DESC LIMIT 1')
      return () => withdrawInvitation(admin, { invitationId: rows[0].id }, browser)
    },
  ],
  'link.create': [
    async () => {
      const memberId = await aMember()
      return () => createSignInLink(pool(), publicUrl, memberId)
    },
    async () => {
      await pool().query(`UPDATE member SET removed_at = now() WHERE role = 'admin'`)
      return () => createSetUpLink(pool(), publicUrl)
    },
  ],
  'link.open': [
    async () => {
      const token = await anInvitation()
      return () => openLink({ token }, browser)
    },
  ],
  'passkey.add': [async () => (await aPasskeyOf()).add],
  'passkey.rename': [
    async () => {
      const { caller, add } = await aPasskeyOf()
      const { passkeyId } = await add()
      return () => renamePasskey(caller, { passkeyId, passkeyName: 'Laptop' }, browser)
    },
  ],
  'passkey.remove': [
    async () => {
      const { caller, add } = await aPasskeyOf()
      const { passkeyId } = await add()
      await (await aPasskeyOf(caller)).add()
      return () => removePasskey(caller, { passkeyId }, browser)
    },
  ],
  'code.strangers-stopped': [
    async () => {
      const userUuid = crypto.randomUUID()
      return () => raiseStrangerAlarm({ userUuid, isKnown: true }, browser)
    },
  ],
  'code.alarm-seen': [
    async () => {
      const caller = anEndUser()
      await pool().query('INSERT INTO stranger_alarm (user_uuid, day) VALUES ($1, now())', [caller.userUuid])
      return () => markStrangerAlarmsSeen(caller, {}, browser)
    },
  ],
  'sign-up.confirm-wallet': [
    async () => {
      const userUuid = await aPerson()
      await aSignUp(userUuid)
      const answer = { userUuid, serviceSessionId: crypto.randomUUID() }
      return () => completeSignIn(answer, { method: 'code', userUuid }, browser)
    },
  ],
  'sign-up.decide-wallet': [
    async () => {
      const caller = anEndUser()
      await aSignUp(caller.userUuid)
      return () => decideSignUpWallet(caller, { decision: 'usable' }, browser)
    },
  ],
  'user.add': [async () => () => addPerson(admin, { ...anAccount(), customerNumber: undefined }, browser)],
  'user.customer-number': [
    async () => {
      const userUuid = await aPerson()
      return () => setCustomerNumber(admin, { userUuid, customerNumber: crypto.randomUUID() }, browser)
    },
  ],
  'user.import-check': [async () => aChecked],
  'user.import': [
    async () => {
      const form = await aChecked()
      return () => startImport(admin, { ...form, reason: 'a test wants it' }, browser)
    },
  ],
  'user.import-stop': [
    async () => {
      const form = await aChecked()
      await pool().query(`UPDATE user_import SET state = 'running' WHERE id = $1`, [form.importId])
      return () => stopImport(admin, form, browser)
    },
  ],
  'user.erase': [
    async () => {
      const userUuid = await aPerson()
      return () => eraseUser(admin, { userUuid, reason }, browser)
    },
  ],
  'user.export': [
    async () => {
      const userUuid = await aPerson()
      return () => allowExport(admin, { userUuid, reason }, browser)
    },
  ],
  'service.move': [
    async () => {
      const { endpointUuid } = await createHere()
      // The watcher has seen it. Of the people here, a few are asked for, and the service may know none of those.
      await pool().query(
        `INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status) VALUES ($1, now(), now(), 'active')`,
        [endpointUuid],
      )
      await keepSettingRow(pool(), 'service', 'https://old.example')
      return () => moveService(pool(), { to: new URL(service.baseUrl), apiKey: service.apiKey, reason })
    },
  ],
  'service.key-change': [async () => () => changeApiKey(admin, { apiKey: service.apiKey, reason }, browser)],
  'endpoint.create': [async () => () => createHere(), async () => () => createElsewhere()],
  'endpoint.change': [
    about((caller, form, source) =>
      changeEndpoint(
        caller,
        { ...form, to: 'elsewhere', url: elsewhere(), subscribedEvents: ['KYB'] },
        source,
      ),
    ),
  ],
  'endpoint.rotate-secret': [about(rotateSecret)],
  'endpoint.take-over': [
    async () => {
      const { endpointUuid } = await createHere()
      return () => repairEndpoint(admin, { endpointUuid, reason }, browser)
    },
  ],
  'endpoint.delete': [about(deleteEndpoint)],
  'endpoint.replace': [
    about((caller, form, source) => replaceEndpoint(caller, { ...form, url: elsewhere() }, source)),
  ],
  'endpoint.finish-replacement': [
    async () => {
      const { endpointUuid: old } = await createElsewhere()
      const { endpointUuid } = await replaceEndpoint(
        admin,
        { endpointUuid: old, url: elsewhere(), reason },
        browser,
      )
      return () => finishReplacement(admin, { endpointUuid, reason }, browser)
    },
  ],
  'endpoint.confirm-secret': [about(confirmSecret)],
  'note.add': [
    async () => {
      const note = { subject: `transaction:${await aTransaction()}`, text: 'Rang twice', ticket: undefined }
      return () => addNote(admin, note, browser)
    },
  ],
  'note.change': [
    async () => {
      const note = await aNote()
      return () => changeNote(admin, { ...note, text: 'Rang once' }, browser)
    },
  ],
  'note.remove': [
    async () => {
      const note = await aNote()
      return () => removeNote(admin, note, browser)
    },
  ],
  'overview.mute': [async () => () => snoozed(aSnooze())],
  'overview.unmute': [
    async () => {
      const what = aSnooze()
      await snoozed(what)
      return () => unsnooze(admin, what, browser)
    },
  ],
  'mail.test': [
    async () => {
      vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:1')
      vi.stubEnv('MAIL_FROM', 'rampart@example.com')
      globalThis.rampartEnv = undefined
      return () => sendTestMail(admin, { to: 'ana@example.com' }, browser)
    },
  ],
  'alert.acknowledge': [
    async () => {
      const id = await anAlert()
      return () => acknowledgeAlert(admin, { id }, browser)
    },
  ],
  'alert.unacknowledge': [
    async () => {
      const id = await anAlert()
      await acknowledgeAlert(admin, { id }, browser)
      return () => unacknowledgeAlert(admin, { id }, browser)
    },
  ],
  'alert.rule-change': [
    async () => () =>
      changeAlertRule(
        admin,
        // The number is new each time, because a change that changes nothing is refused.
        { ...aRule, channels: [], threshold: 1 + crypto.randomInt(900_000) },
        browser,
      ),
  ],
  'alert.channel-add': [async () => () => addAlertChannel(admin, aChannel, browser)],
  'alert.channel-change': [
    async () => {
      const { id } = await addAlertChannel(admin, aChannel, browser)
      const form = ChangeAlertChannelSchema.parse({ id, name: 'Night', enabled: 'true', reason })
      return () => changeAlertChannel(admin, form, browser)
    },
  ],
  'alert.channel-remove': [
    async () => {
      const { id } = await addAlertChannel(admin, aChannel, browser)
      return () => removeAlertChannel(admin, { id, reason }, browser)
    },
  ],
  'alert.channel-test': [
    async () => {
      const { id } = await addAlertChannel(admin, aChannel, browser)
      return () => testAlertChannel(admin, { id }, browser)
    },
  ],
  'alert.receive': [
    async () => () =>
      changeAlertReceiving(
        admin,
        { receives: 'urgent', quietFrom: null, quietUntil: null, zone: null },
        browser,
      ),
  ],
  'settings.sentence': [
    async () => () =>
      saveSentence(
        admin,
        { language: 'en', key: 'steps.fiatToCrypto.ON_HOLD.meaning', text: 'Paused.' },
        browser,
      ),
  ],
}

/**
 * The state is every row of every table, without what each attempt uses up (limits, passkey challenges) and the
 * counts on their way into the audit.
 */
async function everything(): Promise<Record<string, readonly string[]>> {
  const { rows: tables } = await pool().query<{ name: string }>(TABLES)
  const read = tables.map(async ({ name }) => {
    const { rows } = await pool().query<{ row: string }>(
      `SELECT t::text AS row FROM "${name}" AS t ORDER BY 1`,
    )
    return [name, rows.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

const TABLES = `
  SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname NOT IN ('rate_limit', 'passkey_challenge', 'audit_counter', '_prisma_migrations', 'changed')`

/** The trigger notes the transactions that changed anything but the audit and limits. */
const NOTE_CHANGES = `
  CREATE TABLE changed (xid xid8);
  CREATE FUNCTION note_change() RETURNS TRIGGER LANGUAGE plpgsql AS
    'BEGIN INSERT INTO changed VALUES (pg_current_xact_id()); RETURN NULL; END';
  DO $$ DECLARE name text; BEGIN
    FOR name IN ${TABLES} AND relname NOT LIKE 'audit%' LOOP
      EXECUTE format('CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION note_change()', name);
    END LOOP;
  END $$`

/** The work runs while the database accepts only these entries. */
async function taking(entries: string, work: () => Promise<unknown>) {
  await pool().query(`ALTER TABLE audit ADD CONSTRAINT refusing CHECK (${entries}) NOT VALID`)
  try {
    await work()
  } finally {
    await pool().query('ALTER TABLE audit DROP CONSTRAINT refusing')
  }
}

/** The service has these endpoints, with their secrets. */
const atTheService = () => service.control('/endpoints')

/** These actions start work that continues beside the test. */
const launching: ReadonlySet<string> = new Set(['replay.start', 'replay.resume', 'user.import', 'user.erase'])

describe.each(Object.entries(cases))('%s', (action, prepares) => {
  it.each(prepares)('leaves everything as it was where its entry cannot be kept', async (prepare) => {
    const logged = captureLog()
    const work = await prepare()
    const [before, there] = [await everything(), await atTheService()]
    await taking(`action <> '${action}'`, () => expect(work()).rejects.toThrow('refusing'))
    expect(await everything()).toEqual(before)
    expect(await atTheService()).toEqual(there)
    logged.stop()
  })

  if (launching.has(action)) return
  if (action.startsWith('endpoint.') || action === 'user.add') return describeCommand(action, prepares)

  it.each(prepares)('is entered by the transaction that does it', async (prepare) => {
    const work = await prepare()
    const { rows: before } = await pool().query<{ id: string }>('SELECT id FROM audit WHERE action = $1', [
      action,
    ])
    await work()
    const { rows } = await pool().query(ENTERED, [action, before.map(({ id }) => id)])
    expect(rows).toEqual([{ is_with_change: true }])
  })
})

/** A command asks the service in between: one entry says before that it begins, another how it ended. */
function describeCommand(action: string, prepares: readonly Case[]) {
  it.each(prepares)('is entered before anything is changed, and again when it is done', async (prepare) => {
    const work = await prepare()
    const { rows: before } = await pool().query<{ id: string }>('SELECT id FROM audit WHERE action = $1', [
      action,
    ])
    await pool().query('TRUNCATE changed')
    const there = await atTheService()
    await work()
    const { rows } = await pool().query(COMMAND, [action, before.map(({ id }) => id)])
    expect(rows).toMatchObject([{ outcome: 'begun', is_first: true }, { outcome: 'done' }])
    if (action !== 'endpoint.confirm-secret' && action !== 'user.add')
      expect(await atTheService()).not.toEqual(there)
  })

  if (action === 'user.add')
    return it('is unsure where the new person cannot be entered here', async () => {
      const { rows: before } = await pool().query<{ id: string }>('SELECT id FROM audit')
      const form = { ...anAccount(), customerNumber: undefined }
      await taking(`action <> '${action}' OR outcome <> 'done'`, () =>
        expect(addPerson(admin, form, browser)).rejects.toThrow('refusing'),
      )
      const { rows } = await pool().query(COMMAND, [action, before.map(({ id }) => id)])
      expect(rows).toMatchObject([{ outcome: 'begun' }, { outcome: 'unsure' }])
    })

  it.each(prepares)('tells nobody how it ended where that cannot be entered', async (prepare) => {
    const work = await prepare()
    const logged = captureLog()
    const before = await everything()
    await taking(`action <> '${action}' OR outcome = 'begun'`, work)
    const after = await everything()
    for (const table of ['admin_notice', 'endpoint_person']) expect(after[table]).toEqual(before[table])
    expect(logged.text()).toContain('How a change ended was not kept in the audit')
    logged.stop()
  })
}

/** The query returns the entries of one run, and tells if all changes came with the entry or after it. */
const COMMAND = `
  SELECT outcome, audit.xmin::text::bigint <= ALL(SELECT xid::text::bigint FROM changed) AS is_first
  FROM audit WHERE action = $1 AND id <> ALL($2) ORDER BY id`

const ENTERED = `
  SELECT DISTINCT EXISTS (SELECT FROM changed WHERE changed.xid::xid = audit.xmin) AS is_with_change
  FROM audit WHERE action = $1 AND id <> ALL($2)`

it('no entry of any of them names anybody, but by ids', async () => {
  const { rows } = await pool().query<{ text: string }>('SELECT audit::text AS text FROM audit')
  expect(rows.length).toBeGreaterThan(Object.keys(cases).length)
  for (const { text } of rows) expect(text).not.toMatch(/Kim|Lima|Phone|Laptop|@demo\.test|0x1/)
})
