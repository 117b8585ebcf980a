import type { Permission } from '#lib/access/rules/roles.ts'
import type { Kind } from './others-things.ts'

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const

/**
 * The tables list every entry point of the program and who may use it. `app/every-entry.built.test.ts` and
 * `app/every-action.built.test.ts` fail for an entry point without a line here. `service` and `provider` prove themselves by
 * a secret or a signature alone.
 */
export type For =
  | Permission
  | 'anyone'
  | 'signed-in'
  | 'service'
  | 'provider'
  | 'nobody'
  | readonly Permission[]

/**
 * Pages are listed by file, routes by method and file, with addresses of each. `:transaction` and the like become an id,
 * once of somebody else's thing and once of none.
 */
export const addresses: Readonly<Record<string, readonly [who: For, ...paths: string[]]>> = {
  'page.tsx': ['signed-in', '/'],
  '(auth)/sign-in/page.tsx': ['anyone', '/sign-in'],
  '(auth)/signed-in/page.tsx': ['anyone', '/signed-in'],
  '(auth)/sign-up/page.tsx': ['anyone', '/sign-up'],
  'set-up/page.tsx': ['anyone', '/set-up'],
  // The page exists only in development. A production build answers 404.
  'design/page.tsx': ['anyone', '/design'],
  'account/page.tsx': ['see-own', '/account'],
  'account/sign-ins/page.tsx': ['see-own', '/account/sign-ins'],
  'account/transactions/[uuid]/page.tsx': ['see-own', '/account/transactions/:transaction'],
  '(staff)/transactions/page.tsx': ['see-everything', '/transactions'],
  '(staff)/transactions/[uuid]/page.tsx': ['see-everything', '/transactions/:transaction'],
  '(staff)/timeline/page.tsx': ['see-everything', '/timeline'],
  // The route redirects to the page of an account or a person, which shows what there is.
  '(staff)/timeline/[subject]/page.tsx': ['see-everything', '/timeline/unknown%3Anone'],
  '(staff)/accounts/page.tsx': ['see-everything', '/accounts'],
  '(staff)/accounts/[id]/page.tsx': ['see-everything', '/accounts/:account'],
  '(staff)/companies/page.tsx': ['see-everything', '/companies'],
  '(staff)/companies/[uuid]/page.tsx': ['see-everything', '/companies/:company'],
  '(staff)/go/page.tsx': ['see-everything', '/go'],
  // The route redirects to the page `/go`, which checks the permission.
  'GET go/[...anything]/route.ts': ['signed-in', '/go/:event', '/go/:transaction'],
  '(staff)/users/page.tsx': ['see-everything', '/users'],
  '(staff)/users/[uuid]/page.tsx': ['see-everything', '/users/:person'],
  '(staff)/users/new/page.tsx': ['manage-people', '/users/new'],
  '(staff)/users/import/page.tsx': ['manage-people', '/users/import'],
  '(staff)/users/import/[id]/page.tsx': ['manage-people', '/users/import/:import'],
  '(staff)/team/page.tsx': ['manage-team', '/team'],
  '(staff)/team/[id]/page.tsx': ['manage-team', '/team/:member'],
  '(staff)/notices/page.tsx': ['read-notices', '/notices'],
  '(staff)/profile/page.tsx': ['see-everything', '/profile'],
  '(staff)/overview/page.tsx': ['see-everything', '/overview'],
  '(staff)/alerts/page.tsx': ['see-alerts', '/alerts'],
  '(staff)/alerts/mine/page.tsx': ['see-alerts', '/alerts/mine'],
  '(staff)/gaps/page.tsx': ['see-endpoint-health', '/gaps'],
  '(staff)/gaps/[id]/page.tsx': ['see-endpoint-health', '/gaps/:gap'],
  '(staff)/endpoints/page.tsx': ['see-endpoint-health', '/endpoints'],
  '(staff)/endpoints/[id]/page.tsx': ['see-endpoint-health', '/endpoints/:endpoint'],
  '(staff)/endpoints/new/page.tsx': ['manage-endpoints', '/endpoints/new'],
  '(staff)/audit/page.tsx': ['read-audit', '/audit'],
  '(staff)/settings/page.tsx': ['manage-settings', '/settings'],
  '(staff)/settings/words/page.tsx': ['manage-settings', '/settings/words'],
  '(staff)/settings/alerts/page.tsx': ['manage-settings', '/settings/alerts'],
  '(staff)/replays/page.tsx': ['replay-deliveries', '/replays'],
  '(staff)/replays/[id]/page.tsx': ['replay-deliveries', '/replays/:replay'],
  '(staff)/replays/new/page.tsx': ['replay-deliveries', '/replays/new'],
  'GET api/events/route.ts': ['see-everything', '/api/events', '/api/events?id=:event'],
  'POST api/search/route.ts': ['see-everything', '/api/search'],
  'GET api/transactions/route.ts': ['see-everything', '/api/transactions', '/api/transactions?user=:person'],
  'POST api/transactions/rows/route.ts': ['see-everything', '/api/transactions/rows'],
  'GET api/standings/route.ts': [
    'see-everything',
    '/api/standings?list=accounts',
    '/api/standings?list=companies',
    '/api/standings?list=people',
  ],
  'GET api/users/route.ts': ['see-everything', '/api/users'],
  'POST api/users/import/route.ts': ['manage-people', '/api/users/import'],
  // No role alone may use these. An action, which asks for a reason and a fresh sign-in, gives a ticket for each.
  'GET api/standings/export/route.ts': ['nobody', '/api/standings/export?list=accounts&format=csv'],
  'GET api/transactions/export/route.ts': ['nobody', '/api/transactions/export?format=csv'],
  'GET api/gaps/[id]/route.ts': ['nobody', '/api/gaps/:gap'],
  'GET api/search/[link]/route.ts': ['nobody', '/api/search/:event'],
  'GET api/users/[uuid]/export/route.ts': ['nobody', '/api/users/:person/export'],
  'GET api/audit/export/route.ts': ['nobody', '/api/audit/export'],
  'GET api/alerts/export/route.ts': ['nobody', '/api/alerts/export?format=csv'],
  'GET api/replays/[id]/results/route.ts': ['nobody', '/api/replays/:replay/results'],
  'GET api/users/import/[id]/route.ts': ['nobody', '/api/users/import/:import'],
  'GET api/live/route.ts': ['signed-in', '/api/live'],
  // The route says whether anybody is signed in. A POST also reports activity.
  'GET api/session/route.ts': ['anyone', '/api/session'],
  'POST api/session/route.ts': ['anyone', '/api/session'],
  // The cookie names the session, and the route removes it.
  'POST api/sign-out/route.ts': ['anyone', '/api/sign-out'],
  ...Object.fromEntries(
    httpMethods.map((method) => [
      `${method} api/webhooks/[receiver]/route.ts`,
      ['service', '/api/webhooks/:receiver'],
    ]),
  ),
  'GET api/single-sign-on/callback/route.ts': ['anyone', '/api/single-sign-on/callback'],
  'POST api/single-sign-on/back-channel-logout/route.ts': [
    'provider',
    '/api/single-sign-on/back-channel-logout',
  ],
  // `lib/identity/next-auth/route.ts` lists what next-auth answers itself.
  'GET api/auth/[...nextauth]/route.ts': ['anyone', '/api/auth/csrf', '/api/auth/session'],
  'POST api/auth/[...nextauth]/route.ts': [
    'anyone',
    '/api/auth/callback/wallet',
    '/api/auth/callback/code',
    '/api/auth/callback/passkey',
    '/api/auth/signout',
  ],
}

/** These addresses need a body. */
export const bodies: Readonly<Record<string, string>> = {
  '/api/search': '{"text":":transaction"}',
  '/api/transactions/rows': '{"uuids":[":transaction"]}',
  '/api/users/import': 'user_uuid',
}

/** `server.ts` answers these before Next sees them. Each entry names who may use it. */
export const beforeNext: Readonly<Record<string, string | null>> = {
  handleDelivery: 'POST api/webhooks/[receiver]/route.ts',
  asksForStream: 'GET api/live/route.ts',
  // Health and metrics say nothing about people; probes.test.ts checks who may read them.
  answerProbe: null,
}

/** These fields of actions take an id, each with the kind of thing that it names. */
export const idFields: Readonly<Record<string, Kind>> = {
  transaction: 'transaction',
  event: 'event',
  person: 'person',
  userUuid: 'person',
  sessionId: 'session',
  passkeyId: 'passkey',
  memberId: 'member',
  invitationId: 'invitation',
  importId: 'import',
  replayId: 'replay',
  gapId: 'gap',
  endpointUuid: 'endpoint',
  unseen: 'notice',
  noteId: 'note',
}

/** Server actions are listed by file and name. */
export const actions: Readonly<Record<string, For | 'setting-up'>> = {
  '(auth)/actions.ts issueChallengeAction': 'anyone',
  '(auth)/actions.ts issueSignUpChallengeAction': 'anyone',
  '(auth)/actions.ts requestCodeAction': 'anyone',
  '(auth)/actions.ts codeDeliveryStatusAction': 'anyone',
  '(auth)/actions.ts createThrowAwayAccountAction': 'anyone',
  '(auth)/actions.ts signUpAction': 'anyone',
  'account/actions.ts decideSignUpWalletAction': 'see-own',
  'account/actions.ts markStrangerAlarmsSeenAction': 'see-own',
  'actions.ts beginPasskeySignInAction': 'anyone',
  'actions.ts endOwnSessionAction': 'signed-in',
  'actions.ts endOtherSessionsAction': 'signed-in',
  'set-up/actions.ts openLinkAction': 'anyone',
  'set-up/actions.ts beginSetUpPasskeyAction': 'setting-up',
  'set-up/actions.ts setUpPasskeyAction': 'setting-up',
  'actions.ts beginSingleSignOnAction': 'anyone',
  '(staff)/actions.ts revealFieldAction': 'reveal-personal-data',
  '(staff)/actions.ts revealBirthDateAction': 'reveal-personal-data',
  '(staff)/actions.ts revealBodyAction': 'see-everything',
  '(staff)/actions.ts checkMatchAction': 'work-on-cases',
  '(staff)/transactions/actions.ts allowLinesExportAction': 'work-on-cases',
  '(staff)/transactions/actions.ts allowTransactionsExportAction': 'work-on-cases',
  '(staff)/actions.ts allowStandingsExportAction': 'work-on-cases',
  '(staff)/transactions/actions.ts addNoteAction': 'work-on-cases',
  '(staff)/transactions/actions.ts changeNoteAction': 'work-on-cases',
  '(staff)/transactions/actions.ts removeNoteAction': 'work-on-cases',
  '(staff)/users/actions.ts searchPeopleAction': 'see-everything',
  '(staff)/users/actions.ts addPersonAction': 'manage-people',
  '(staff)/users/actions.ts setCustomerNumberAction': 'work-on-cases',
  '(staff)/users/actions.ts endPersonSessionsAction': 'manage-people',
  '(staff)/users/actions.ts startImportAction': 'manage-people',
  '(staff)/users/actions.ts stopImportAction': 'manage-people',
  '(staff)/users/actions.ts allowImportExportAction': 'manage-people',
  '(staff)/users/actions.ts eraseUserAction': 'manage-people',
  '(staff)/users/actions.ts allowExportAction': 'manage-people',
  '(staff)/notices/actions.ts markNoticesSeenAction': 'read-notices',
  '(staff)/profile/actions.ts readFreshnessAction': 'signed-in',
  '(staff)/profile/actions.ts beginConfirmationAction': 'signed-in',
  '(staff)/profile/actions.ts confirmWithPasskeyAction': 'signed-in',
  '(staff)/profile/actions.ts beginOwnPasskeyAction': 'signed-in',
  '(staff)/profile/actions.ts addOwnPasskeyAction': 'signed-in',
  '(staff)/profile/actions.ts renamePasskeyAction': 'signed-in',
  '(staff)/profile/actions.ts removePasskeyAction': 'signed-in',
  '(staff)/team/actions.ts changeRoleAction': 'manage-team',
  '(staff)/team/actions.ts removeMemberAction': 'manage-team',
  '(staff)/team/actions.ts endMemberSessionsAction': 'manage-team',
  '(staff)/team/actions.ts inviteAction': 'manage-team',
  '(staff)/team/actions.ts withdrawInvitationAction': 'manage-team',
  '(staff)/audit/actions.ts checkChainAction': 'read-audit',
  '(staff)/audit/actions.ts allowAuditExportAction': 'read-audit',
  '(staff)/audit/actions.ts resolveFiltersAction': 'read-audit',
  '(staff)/settings/actions.ts saveBrandAction': 'manage-settings',
  '(staff)/settings/actions.ts saveRulesAction': 'manage-settings',
  '(staff)/settings/actions.ts saveRetentionAction': 'manage-settings',
  '(staff)/settings/actions.ts saveLogMonthsAction': 'manage-settings',
  '(staff)/settings/actions.ts changeApiKeyAction': 'manage-settings',
  '(staff)/settings/actions.ts testSingleSignOnAction': 'manage-settings',
  '(staff)/settings/actions.ts sendTestMailAction': 'manage-settings',
  '(staff)/settings/actions.ts shareVerificationAction': 'manage-settings',
  '(staff)/settings/actions.ts showSentenceAction': 'manage-settings',
  '(staff)/settings/actions.ts saveSentenceAction': 'manage-settings',
  '(staff)/settings/actions.ts restoreSentenceAction': 'manage-settings',
  '(staff)/settings/alerts/actions.ts changeAlertRuleAction': 'manage-settings',
  '(staff)/settings/alerts/actions.ts addAlertChannelAction': 'manage-settings',
  '(staff)/settings/alerts/actions.ts changeAlertChannelAction': 'manage-settings',
  '(staff)/settings/alerts/actions.ts removeAlertChannelAction': 'manage-settings',
  '(staff)/settings/alerts/actions.ts testAlertChannelAction': 'manage-settings',
  // The use cases also require that the role may see alerts.
  '(staff)/alerts/actions.ts acknowledgeAlertAction': 'work-on-cases',
  '(staff)/alerts/actions.ts unacknowledgeAlertAction': 'work-on-cases',
  '(staff)/alerts/actions.ts allowAlertsExportAction': 'see-alerts',
  '(staff)/alerts/actions.ts changeAlertReceivingAction': 'see-alerts',
  '(staff)/overview/actions.ts retryDeadLettersAction': 'manage-endpoints',
  '(staff)/overview/actions.ts snoozeAction': 'work-on-cases',
  '(staff)/overview/actions.ts unsnoozeAction': 'work-on-cases',
  '(staff)/endpoints/actions.ts closeGapAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts reopenGapAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts allowGapExportAction': 'work-on-cases',
  '(staff)/replays/actions.ts startReplayAction': 'replay-deliveries',
  '(staff)/replays/actions.ts stopReplayAction': 'replay-deliveries',
  '(staff)/replays/actions.ts resumeReplayAction': 'replay-deliveries',
  '(staff)/replays/actions.ts allowResultsExportAction': 'replay-deliveries',
  '(staff)/endpoints/actions.ts createEndpointAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts checkPublicAddressAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts changeEndpointAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts setStatusAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts rotateSecretAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts repairEndpointAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts deleteEndpointAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts replaceEndpointAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts finishReplacementAction': 'manage-endpoints',
  '(staff)/endpoints/actions.ts confirmSecretAction': 'manage-endpoints',
}

/** These server actions need a reason. Each has the other fields of the forms that ask for one. */
export const wantReason: Readonly<Record<string, readonly object[]>> = {
  createEndpointAction: [{ to: 'here' }, { to: 'elsewhere' }],
  changeEndpointAction: [{ to: 'same' }, { to: 'here' }, { to: 'elsewhere' }],
  startReplayAction: [{ kind: 'fold' }, { kind: 'post' }],
  setStatusAction: [{}],
  rotateSecretAction: [{}],
  repairEndpointAction: [{}],
  deleteEndpointAction: [{}],
  replaceEndpointAction: [{}],
  finishReplacementAction: [{}],
  resumeReplayAction: [{}],
  stopReplayAction: [{}],
  allowResultsExportAction: [{}],
  inviteAction: [{}],
  changeRoleAction: [{}],
  removeMemberAction: [{}],
  endMemberSessionsAction: [{}],
  endPersonSessionsAction: [{}],
  revealFieldAction: [{}],
  revealBirthDateAction: [{}],
  allowLinesExportAction: [{}],
  allowTransactionsExportAction: [{}],
  allowStandingsExportAction: [{ list: 'accounts' }, { list: 'companies' }],
  allowExportAction: [{}],
  allowGapExportAction: [{}],
  startImportAction: [{}],
  allowImportExportAction: [{}],
  allowAuditExportAction: [{}],
  allowAlertsExportAction: [{}],
  eraseUserAction: [{}],
  changeApiKeyAction: [{}],
  saveBrandAction: [{}],
  saveRulesAction: [{}],
  saveRetentionAction: [{}],
  saveLogMonthsAction: [{}],
  shareVerificationAction: [{}],
  changeAlertRuleAction: [{}],
  addAlertChannelAction: [{}],
  changeAlertChannelAction: [{}],
  removeAlertChannelAction: [{}],
  retryDeadLettersAction: [{}],
  snoozeAction: [{}],
  closeGapAction: [{}],
  reopenGapAction: [{}],
}
