import crypto from 'node:crypto'
import fs from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { deleteEndpoint } from '#lib/endpoints/delete-endpoint.ts'
import { finishReplacement } from '#lib/endpoints/finish-replacement.ts'
import { repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { setStatus } from '#lib/endpoints/set-status.ts'
import { allowExport, exportUser } from '#lib/erasure/allow-export.ts'
import { eraseUser } from '#lib/erasure/erase-user.ts'
import { allowAuditExport, exportAudit } from '#lib/exports/export-audit.ts'
import { allowGapExport, exportGap } from '#lib/gaps/export-gap.ts'
import { invite } from '#lib/links/invite.ts'
import { changeRole } from '#lib/members/change-role.ts'
import { removeMember } from '#lib/members/remove-member.ts'
import { addOwnPasskey, beginOwnPasskey } from '#lib/passkeys/add-own-passkey.ts'
import { removePasskey } from '#lib/passkeys/remove-passkey.ts'
import { allowResultsExport, exportResults } from '#lib/replay/export-results.ts'
import { resumeReplay } from '#lib/replay/resume-replay.ts'
import { startReplay } from '#lib/replay/start-replay.ts'
import { revealBirthDate } from '#lib/reveal/reveal-birth-date.ts'
import { revealField } from '#lib/reveal/reveal-field.ts'
import { allowLinesExport, exportLines } from '#lib/search/export-lines.ts'
import { allowTransactionsExport, exportTransactions } from '#lib/search/export-transactions.ts'
import { shareVerification } from '#lib/service-info/create-share-token.ts'
import { changeApiKey } from '#lib/service-key/change-api-key.ts'
import { restoreSentence, saveSentence } from '#lib/settings/save-sentence.ts'
import { RetentionSchema, saveBrand, saveRetention, saveRules } from '#lib/settings/settings-forms.ts'
import { allowImportExport, exportImport } from '#lib/user-import/export-import.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { configure } from '../../test/service.ts'
import type { Caller } from './caller.ts'
import { NotAllowed, SignInAgain } from './refusals.ts'

beforeAll(() => configure())

const reason = 'a test wants it'
const id = crypto.randomUUID()
const url = 'https://merchant.example/hook'
const sentence = { language: 'en', key: 'steps.fiatToCrypto.ON_HOLD.meaning' } as const
const endpoint = { endpointUuid: id, reason }
const browser = newBrowser()
const answer = {
  id: '',
  rawId: '',
  type: 'public-key' as const,
  clientExtensionResults: {},
  response: { clientDataJSON: '', attestationObject: '', transports: [] as string[] },
}

/** Every use case that sends data elsewhere, shows or ends a secret, ends personal data or says who may do what, by its action. */
const sensitive: Record<string, (caller: Caller) => Promise<unknown>> = {
  createEndpointAction: (caller) =>
    createEndpoint(
      caller,
      { to: 'elsewhere', url, description: 'There', subscribedEvents: null, reason },
      browser,
    ),
  changeEndpointAction: (caller) =>
    changeEndpoint(caller, { ...endpoint, to: 'elsewhere', url, subscribedEvents: null }, browser),
  setStatusAction: (caller) => setStatus(caller, { ...endpoint, status: 'active' }, browser),
  rotateSecretAction: (caller) => rotateSecret(caller, endpoint, browser),
  repairEndpointAction: (caller) => repairEndpoint(caller, endpoint, browser),
  deleteEndpointAction: (caller) => deleteEndpoint(caller, endpoint, browser),
  replaceEndpointAction: (caller) => replaceEndpoint(caller, { ...endpoint, url }, browser),
  finishReplacementAction: (caller) => finishReplacement(caller, endpoint, browser),
  startReplayAction: (caller) => startReplay(caller, { kind: 'fold', delivery: id, reason }, browser),
  resumeReplayAction: (caller) => resumeReplay(caller, { replayId: id, reason }, browser),
  inviteAction: (caller) =>
    invite(caller, { name: 'Kai', email: undefined, role: 'support', reason }, browser),
  changeRoleAction: (caller) => changeRole(caller, { memberId: id, role: 'admin', reason }, browser),
  removeMemberAction: (caller) => removeMember(caller, { memberId: id, reason }, browser),
  beginOwnPasskeyAction: (caller) => beginOwnPasskey(caller, {}, browser),
  addOwnPasskeyAction: (caller) => addOwnPasskey(caller, { answer, passkeyName: 'Phone' }, browser),
  revealFieldAction: (caller) =>
    revealField(caller, { record: 'transaction', uuid: id, field: 'iban', reason }, browser),
  revealBirthDateAction: (caller) => revealBirthDate(caller, { person: id, reason }, browser),
  allowLinesExportAction: (caller) => allowLinesExport(caller, { link: id, reason }, browser),
  allowTransactionsExportAction: (caller) =>
    allowTransactionsExport(caller, { asked: { texts: {}, link: null, format: 'csv' }, reason }, browser),
  allowExportAction: (caller) => allowExport(caller, { userUuid: id, reason }, browser),
  allowGapExportAction: (caller) => allowGapExport(caller, { gapId: id, reason }, browser),
  allowImportExportAction: (caller) => allowImportExport(caller, { importId: id, reason }, browser),
  allowResultsExportAction: (caller) => allowResultsExport(caller, { replayId: id, reason }, browser),
  allowAuditExportAction: (caller) => allowAuditExport(caller, { format: 'csv', reason }, browser),
  eraseUserAction: (caller) => eraseUser(caller, { userUuid: id, reason }, browser),
  changeApiKeyAction: (caller) => changeApiKey(caller, { apiKey: 'another', reason }, browser),
  saveRetentionAction: (caller) =>
    saveRetention(caller, RetentionSchema.parse({ KYC: '90', reason }), browser),
  saveRulesAction: (caller) =>
    saveRules(
      caller,
      {
        publicSignUp: true,
        revealTicketPattern: null,
        ticketAddress: null,
        kycShareToken: true,
        verificationUrl: null,
        reason,
      },
      browser,
    ),
  saveBrandAction: (caller) =>
    saveBrand(
      caller,
      { merchantName: null, mark: null, supportContact: 'help@merchant.example', reason },
      browser,
    ),
  saveSentenceAction: (caller) => saveSentence(caller, { ...sentence, text: 'Paused.' }, browser),
  restoreSentenceAction: (caller) => restoreSentence(caller, sentence, browser),
  shareVerificationAction: (caller) => shareVerification(caller, { userUuid: id, reason }, browser),
  removePasskeyAction: (caller) => removePasskey(caller, { passkeyId: id }, browser),
}

/** Other actions of staff, and why they want none. */
const harmless: Record<string, string> = {
  checkPublicAddressAction: 'calls this dashboard itself',
  confirmSecretAction: 'only ends a question of the page',
  retryDeadLettersAction: 'reads again what is stored here',
  closeGapAction: 'says what became of a gap',
  reopenGapAction: 'takes that back',
  stopReplayAction: 'sends less',
  withdrawInvitationAction: 'lets fewer people in',
  addPersonAction: 'asks the service about one user',
  startImportAction: 'asks the service about several',
  stopImportAction: 'asks about fewer',
  showSentenceAction: 'shows words before they are kept',
  endPersonSessionsAction: 'whoever sees something wrong is not to wait',
  endMemberSessionsAction: 'whoever sees something wrong is not to wait',
  revealBodyAction: 'asks where the role sees such a body on request only: lib/reveal/reveal.db.test.ts',
  checkMatchAction: 'answers yes or no',
  checkChainAction: 'says whether the audit is whole',
  resolveFiltersAction: 'gives an address for what was typed',
  searchPeopleAction: 'finds people, as the role sees them',
  markNoticesSeenAction: 'says what was read',
  muteAction: 'hides a line of the overview, with a note',
  unmuteAction: 'takes that back',
  addNoteAction: 'writes to colleagues',
  changeNoteAction: 'changes what oneself wrote',
  removeNoteAction: 'removes a note',
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

/** Routes whose files hold personal data: each wants the ticket that an action of above gives. */
const byTicket: Record<string, (caller: Caller) => Promise<unknown>> = {
  'audit/export': (caller) => exportAudit(caller, { format: 'csv' }, ''),
  'gaps/[id]': (caller) => exportGap(caller, id, ''),
  'replays/[id]/results': (caller) => exportResults(caller, id, ''),
  'search/[link]': (caller) => exportLines(caller, id, ''),
  'transactions/export': (caller) => exportTransactions(caller, { texts: {}, link: null, format: 'csv' }, ''),
  'users/import/[id]': (caller) => exportImport(caller, id, ''),
  'users/[uuid]/export': async (caller) => exportUser(caller, id, ''),
}

/** Routes that answer without one, and why. */
const withoutTicket: Record<string, string> = {
  events: 'a page of the timeline, as the role sees it',
  transactions: 'a page of the list, as the role sees it',
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
