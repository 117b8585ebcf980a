/**
 * The table lists every form that sends data elsewhere, shows or ends a secret, or changes permissions, by its action. Each
 * has its page, with `:id` for the thing, and the button that opens it; null when it is open already.
 */
export const freshForms: Readonly<Record<string, readonly Form[]>> = {
  createEndpointAction: [['/endpoints/new', null]],
  changeEndpointAction: [['/endpoints/:elsewhere', 'Change…']],
  replaceEndpointAction: [['/endpoints/:elsewhere', 'Replace…']],
  rotateSecretAction: [['/endpoints/:elsewhere', 'Rotate secret…']],
  setStatusAction: [
    ['/endpoints/:elsewhere', 'Disable…'],
    ['/endpoints/:disabled', 'Activate…'],
  ],
  deleteEndpointAction: [['/endpoints/:elsewhere', 'Delete…']],
  repairEndpointAction: [['/endpoints/:moved', 'Repair…']],
  finishReplacementAction: [['/endpoints/:replacing', 'It is deployed…']],
  startReplayAction: [['/replays/new?type=fiatToCrypto&step=PENDING', null]],
  resumeReplayAction: [['/replays/:replay', null]],
  allowResultsExportAction: [['/replays/:replay', 'Export CSV…']],
  inviteAction: [['/team', 'Invite…']],
  changeRoleAction: [['/team/:member', 'Change role…']],
  removeMemberAction: [['/team/:member', 'Remove…']],
  beginOwnPasskeyAction: [['/profile', 'Add a passkey…']],
  addOwnPasskeyAction: [['/profile', 'Add a passkey…']],
  removePasskeyAction: [['/profile', 'Remove…']],
  revealFieldAction: [['/transactions/:transaction', 'Reveal']],
  revealBirthDateAction: [['/users/:user', 'Show the date']],
  allowExportAction: [['/users/:user', 'Export…']],
  eraseUserAction: [['/users/:user', 'Erase…']],
  startImportAction: [['/users/import/:import', 'Import 1 person…']],
  allowImportExportAction: [['/users/import/:import', 'Export CSV…']],
  allowLinesExportAction: [['/transactions?search=:lines', 'Export CSV…']],
  allowTransactionsExportAction: [['/transactions', 'Export…']],
  allowStandingsExportAction: [
    ['/accounts', 'Export…'],
    ['/companies', 'Export…'],
  ],
  allowGapExportAction: [['/gaps/:gap', 'Export CSV…']],
  allowAuditExportAction: [['/audit', 'Export CSV…']],
  allowAlertsExportAction: [['/alerts', 'Export…']],
  changeApiKeyAction: [['/settings', 'Replace the API key…']],
  saveRetentionAction: [['/settings', 'Change retention…']],
  saveLogMonthsAction: [['/settings', 'Change months…']],
  saveRulesAction: [['/settings', 'Change rules…']],
  saveBrandAction: [['/settings', 'Change brand…']],
  shareVerificationAction: [['/settings', 'Make a share token…']],
  addAlertChannelAction: [['/settings/alerts', 'Add a channel…']],
  changeAlertChannelAction: [['/settings/alerts', 'Change… A channel']],
  removeAlertChannelAction: [['/settings/alerts', 'Remove…']],
  changeAlertRuleAction: [['/settings/alerts', 'Change… Endpoint off']],
  saveSentenceAction: [['/settings/words?language=pt', 'Change…']],
  restoreSentenceAction: [['/settings/words?language=pt', 'Use the standard words…']],
}

/**
 * The forms of these pages are also on others: the export of a list at `/transactions`, and one of few rows at
 * `/users/:user`. Both ask by themselves.
 */
export const pagesOfExports: ReadonlySet<string> = new Set([
  '/transactions?search=:lines',
  '/accounts',
  '/companies',
  '/gaps/:gap',
  '/audit',
  '/alerts',
])

type Form = readonly [page: string, button: string | null]
