import crypto from 'node:crypto'
import fs from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { exportAudit } from '#lib/audit/export-audit.ts'
import { exportGap } from '#lib/endpoints/gaps/gaps.ts'
import { exportResults } from '#lib/endpoints/replays/replays.ts'
import { exportAlerts } from '#lib/operations/alerts/export-alerts.ts'
import { exportUser } from '#lib/people/erasure/export-user.ts'
import { exportImport } from '#lib/people/import/list-imports.ts'
import { exportStandings } from '#lib/people/standings/export-standings.ts'
import { NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import { exportLines } from '#lib/search/export-lines.ts'
import { exportTransactions } from '#lib/search/export-transactions.ts'
import { callerWith } from '../../test/callers.ts'
import { sensitive } from '../../test/sensitive-actions.ts'
import { configure } from '../../test/service.ts'
import type { Caller } from './caller.ts'

beforeAll(() => configure())

const id = crypto.randomUUID()

/** These are the other actions of staff, each with the reason why it needs no fresh sign-in. */
const harmless: Record<string, string> = {
  checkPublicAddressAction: 'calls this dashboard itself',
  confirmSecretAction: 'only ends a question of the page',
  retryDeadLettersAction: 'reads again what is stored here',
  closeGapAction: 'says what became of a gap',
  reopenGapAction: 'takes that back',
  stopReplayAction: 'sends less',
  withdrawInvitationAction: 'lets fewer people in',
  addPersonAction: 'asks the service about one user',
  stopImportAction: 'asks about fewer',
  showSentenceAction: 'shows words before they are kept',
  endPersonSessionsAction: 'whoever sees something wrong is not to wait',
  endMemberSessionsAction: 'whoever sees something wrong is not to wait',
  revealBodyAction:
    'asks where the role sees such a body on request only: lib/transactions/reveal/reveal.db.test.ts',
  checkMatchAction: 'answers yes or no',
  checkChainAction: 'says whether the audit is whole',
  resolveFiltersAction: 'gives an address for what was typed',
  searchPeopleAction: 'finds people, as the role sees them',
  markNoticesSeenAction: 'says what was read',
  acknowledgeAlertAction: 'says that somebody works on it',
  unacknowledgeAlertAction: 'takes that back',
  changeAlertReceivingAction: 'chooses the own e-mails',
  testAlertChannelAction: 'sends a text that says nothing',
  snoozeAction: 'hides a line of the overview, with a note',
  unsnoozeAction: 'takes that back',
  addNoteAction: 'writes to colleagues',
  changeNoteAction: 'changes what oneself wrote',
  removeNoteAction: 'removes a note',
  sendTestMailAction: 'sends a text that says nothing',
  testSingleSignOnAction: 'shows what the own provider says of oneself',
  setCustomerNumberAction: 'says how the merchant calls a person',
  readFreshnessAction: 'says how old the own sign-in is',
  beginConfirmationAction: 'renews the sign-in',
  confirmWithPasskeyAction: 'renews the sign-in',
  renamePasskeyAction: 'changes a name that its owner reads',
}

it.each(Object.entries(sensitive))(
  '%s refuses whoever signed in more than 15 minutes ago',
  async (_name, use) => {
    const signedInAt = new Date(Date.now() - 15 * 60_000 - 1).toISOString()
    await expect(use(callerWith('admin', { signedInAt }))).rejects.toThrow(SignInAgain)
  },
)

it('every action of staff is in one of the two lists, and nothing else is', () => {
  const files = fs.globSync('app/(staff)/**/*actions.ts')
  const names = files.flatMap((file) =>
    [...fs.readFileSync(file, 'utf8').matchAll(/export const (\w+) = action\(/g)].map(([, name]) => name),
  )
  const listed = [...Object.keys(sensitive), ...Object.keys(harmless)]
  expect(names.toSorted()).toEqual(listed.toSorted())
})

/** The files of these routes hold personal data: each route needs the ticket that an action above gives. */
const byTicket: Record<string, (caller: Caller) => Promise<unknown>> = {
  'alerts/export': (caller) => exportAlerts(caller, { format: 'csv' }, ''),
  'audit/export': (caller) => exportAudit(caller, { format: 'csv' }, ''),
  'gaps/[id]': (caller) => exportGap(caller, id, ''),
  'replays/[id]/results': (caller) => exportResults(caller, id, ''),
  'search/[link]': (caller) => exportLines(caller, id, ''),
  'standings/export': (caller) => exportStandings(caller, { list: 'accounts', format: 'csv' }, ''),
  'transactions/export': (caller) => exportTransactions(caller, { texts: {}, link: null, format: 'csv' }, ''),
  'users/import/[id]': (caller) => exportImport(caller, id, ''),
  'users/[uuid]/export': async (caller) => exportUser(caller, id, ''),
}

/** These routes answer without a ticket, each for the reason given. */
const withoutTicket: Record<string, string> = {
  events: 'a page of the timeline, as the role sees it',
  transactions: 'a page of the list, as the role sees it',
  standings: 'a page of accounts, companies or people, as the role sees it',
  users: 'a page of the directory, as the role sees it',
  live: 'says what changed, not how',
  session: 'says how the own session stands',
  'auth/[...nextauth]': 'signs in',
  'single-sign-on/callback': 'signs in',
  'webhooks/[receiver]': 'takes deliveries',
}

it.each(Object.entries(byTicket))('%s gives nothing out without a ticket', async (_route, read) => {
  await expect(read(callerWith('admin'))).rejects.toThrow(NotAllowed)
})

it('every route that is read by GET is in one of the two lists', () => {
  const read = fs
    .globSync('app/api/**/route.ts')
    .filter((file) => /\bGET\b/.test(fs.readFileSync(file, 'utf8')))
    .map((file) => file.slice('app/api/'.length, -'/route.ts'.length))
  const listed = [...Object.keys(byTicket), ...Object.keys(withoutTicket)]
  expect(read.toSorted()).toEqual(listed.toSorted())
})
