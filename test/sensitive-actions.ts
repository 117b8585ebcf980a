import crypto from 'node:crypto'
import type { Caller } from '#lib/access/caller.ts'
import { allowAuditExport } from '#lib/audit/export-audit.ts'
import { changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { allowGapExport } from '#lib/endpoints/gaps/gaps.ts'
import { repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { startReplay } from '#lib/endpoints/replays/start-replay.ts'
import { rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { changeApiKey, shareVerification } from '#lib/endpoints/service-key/change-api-key.ts'
import {
  addAlertChannel,
  changeAlertChannel,
  removeAlertChannel,
} from '#lib/operations/alerts/alert-channels.ts'
import { changeAlertRule } from '#lib/operations/alerts/alert-rules.ts'
import { allowAlertsExport } from '#lib/operations/alerts/export-alerts.ts'
import {
  LogMonthsSchema,
  RetentionSchema,
  saveBrand,
  saveLogMonths,
  saveRetention,
  saveRules,
} from '#lib/operations/settings/settings-forms.ts'
import { eraseUser } from '#lib/people/erasure/erase-user.ts'
import { allowImportExport, startImport } from '#lib/people/import/list-imports.ts'
import { allowStandingsExport } from '#lib/people/standings/export-standings.ts'
import { allowLinesExport } from '#lib/search/export-lines.ts'
import { allowTransactionsExport } from '#lib/search/export-transactions.ts'
import { setStatus } from '../lib/endpoints/change-endpoint.ts'
import { deleteEndpoint, finishReplacement } from '../lib/endpoints/replace-endpoint.ts'
import { allowResultsExport } from '../lib/endpoints/replays/replays.ts'
import { resumeReplay } from '../lib/endpoints/replays/start-replay.ts'
import { invite } from '../lib/identity/links/invitations.ts'
import { changeRole, removeMember } from '../lib/identity/members/change-members.ts'
import { addOwnPasskey, beginOwnPasskey, removePasskey } from '../lib/identity/passkeys/own-passkeys.ts'
import { restoreSentence, saveSentence } from '../lib/operations/settings/sentences.ts'
import { allowExport } from '../lib/people/erasure/export-user.ts'
import { revealBirthDate, revealField } from '../lib/transactions/reveal/reveal.ts'
import { newBrowser } from './callers.ts'

const reason = 'a test wants it'
const id = crypto.randomUUID()
const url = 'https://merchant.example/hook'
const sentence = { language: 'en', key: 'steps.fiatToCrypto.ON_HOLD.meaning' } as const
const quiet = { quietFrom: null, quietUntil: null, zone: null }
const endpoint = { endpointUuid: id, reason }
const browser = newBrowser()
const answer = {
  id: '',
  rawId: '',
  type: 'public-key' as const,
  clientExtensionResults: {},
  response: { clientDataJSON: '', attestationObject: '', transports: [] as string[] },
}

/**
 * The table lists every use case that sends data elsewhere, shows or ends a secret, deletes personal data or changes
 * permissions, by its action.
 */
export const sensitive: Readonly<Record<string, (caller: Caller) => Promise<unknown>>> = {
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
  allowStandingsExportAction: (caller) =>
    allowStandingsExport(caller, { list: 'accounts', format: 'csv', reason }, browser),
  allowExportAction: (caller) => allowExport(caller, { userUuid: id, reason }, browser),
  allowGapExportAction: (caller) => allowGapExport(caller, { gapId: id, reason }, browser),
  startImportAction: (caller) => startImport(caller, { importId: id, reason }, browser),
  allowImportExportAction: (caller) => allowImportExport(caller, { importId: id, reason }, browser),
  allowResultsExportAction: (caller) => allowResultsExport(caller, { replayId: id, reason }, browser),
  allowAlertsExportAction: (caller) => allowAlertsExport(caller, { format: 'csv', reason }, browser),
  allowAuditExportAction: (caller) => allowAuditExport(caller, { format: 'csv', reason }, browser),
  eraseUserAction: (caller) => eraseUser(caller, { userUuid: id, reason }, browser),
  changeApiKeyAction: (caller) => changeApiKey(caller, { apiKey: 'another', reason }, browser),
  saveRetentionAction: (caller) =>
    saveRetention(caller, RetentionSchema.parse({ KYC: '90', reason }), browser),
  saveLogMonthsAction: (caller) =>
    saveLogMonths(caller, LogMonthsSchema.parse({ bodies: '12', events: '', reason }), browser),
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
  changeAlertRuleAction: (caller) =>
    changeAlertRule(
      caller,
      {
        condition: 'silence',
        enabled: false,
        threshold: 0,
        to: 'all',
        channels: [],
        repeatHours: 0,
        reason,
      },
      browser,
    ),
  addAlertChannelAction: (caller) =>
    addAlertChannel(caller, { kind: 'slack', name: 'Slack', address: url, ...quiet, reason }, browser),
  changeAlertChannelAction: (caller) =>
    changeAlertChannel(caller, { id, name: 'Slack', enabled: true, address: url, ...quiet, reason }, browser),
  removeAlertChannelAction: (caller) => removeAlertChannel(caller, { id, reason }, browser),
  saveSentenceAction: (caller) => saveSentence(caller, { ...sentence, text: 'Paused.' }, browser),
  restoreSentenceAction: (caller) => restoreSentence(caller, sentence, browser),
  shareVerificationAction: (caller) => shareVerification(caller, { userUuid: id, reason }, browser),
  removePasskeyAction: (caller) => removePasskey(caller, { passkeyId: id }, browser),
}
