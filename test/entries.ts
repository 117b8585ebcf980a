import type { Permission } from '#lib/domain/access/roles.ts'

/**
 * Every way into the program, and for whom it is. `app/every-entry.built.test.ts` finds the ways in by the file system and
 * fails for one without a line here.
 */
export type For = Permission | 'anyone' | 'signed-in' | readonly Permission[]

/** Pages and routes by their file, with an address of each; `:id` stands for the id of something that does not exist. */
export const addresses: Readonly<Record<string, readonly [who: For, path: string]>> = {
  'page.tsx': ['signed-in', '/'],
  '(auth)/sign-in/page.tsx': ['anyone', '/sign-in'],
  '(auth)/sign-up/page.tsx': ['anyone', '/sign-up'],
  'set-up/page.tsx': ['anyone', '/set-up'],
  'account/page.tsx': ['see-own', '/account'],
  'account/transactions/[uuid]/page.tsx': ['see-own', '/account/transactions/:id'],
  '(staff)/transactions/page.tsx': ['see-everything', '/transactions'],
  '(staff)/transactions/[uuid]/page.tsx': ['see-everything', '/transactions/:id'],
  '(staff)/timeline/page.tsx': ['see-everything', '/timeline'],
  '(staff)/timeline/[subject]/page.tsx': ['see-everything', '/timeline/entity%3A:id'],
  '(staff)/go/page.tsx': ['see-everything', '/go'],
  'go/[...anything]/route.ts': ['see-everything', '/go/:id'],
  '(staff)/users/page.tsx': ['see-everything', '/users'],
  '(staff)/users/[uuid]/page.tsx': ['see-everything', '/users/:id'],
  '(staff)/users/new/page.tsx': ['manage-people', '/users/new'],
  '(staff)/team/page.tsx': ['manage-team', '/team'],
  '(staff)/overview/page.tsx': ['see-endpoint-health', '/overview'],
  '(staff)/gaps/page.tsx': ['see-endpoint-health', '/gaps'],
  '(staff)/gaps/[id]/page.tsx': ['see-endpoint-health', '/gaps/:id'],
  '(staff)/endpoints/page.tsx': ['see-endpoint-health', '/endpoints'],
  '(staff)/endpoints/[id]/page.tsx': ['see-endpoint-health', '/endpoints/:id'],
  '(staff)/endpoints/new/page.tsx': ['manage-endpoints', '/endpoints/new'],
  '(staff)/replays/page.tsx': ['replay-deliveries', '/replays'],
  '(staff)/replays/[id]/page.tsx': ['replay-deliveries', '/replays/:id'],
  '(staff)/replays/new/page.tsx': ['replay-deliveries', '/replays/new'],
  'api/events/route.ts': ['see-everything', '/api/events'],
  'api/search/route.ts': ['see-everything', '/api/search'],
  'api/transactions/route.ts': ['see-everything', '/api/transactions'],
  'api/gaps/[id]/route.ts': [['see-endpoint-health', 'work-on-cases'], '/api/gaps/:id'],
  'api/replays/[id]/results/route.ts': ['replay-deliveries', '/api/replays/:id/results'],
  'api/live/route.ts': ['signed-in', '/api/live'],
  // By a secret of their own, and tested by themselves: a delivery's, next-auth's.
  'api/webhooks/[receiver]/route.ts': ['anyone', '/api/webhooks/:id'],
  'api/auth/[...nextauth]/route.ts': ['anyone', '/api/auth/csrf'],
}

/** Server actions by their file and name. */
export const actions: Readonly<Record<string, For | 'setting-up'>> = {
  '(auth)/actions.ts issueChallengeAction': 'anyone',
  '(auth)/actions.ts issueSignUpChallengeAction': 'anyone',
  '(auth)/actions.ts requestCodeAction': 'anyone',
  '(auth)/actions.ts codeDeliveryStatusAction': 'anyone',
  '(auth)/actions.ts createThrowAwayAccountAction': 'anyone',
  '(auth)/actions.ts signUpAction': 'anyone',
  'account/actions.ts signOutAction': 'anyone',
  'account/actions.ts decideSignUpWalletAction': 'see-own',
  'account/actions.ts markStrangerAlarmsSeenAction': 'see-own',
  'set-up/actions.ts openLinkAction': 'anyone',
  'set-up/actions.ts nameYourselfAction': 'setting-up',
  '(staff)/actions.ts revealFieldAction': 'reveal-personal-data',
  '(staff)/actions.ts revealBodyAction': 'see-everything',
  '(staff)/actions.ts checkMatchAction': 'work-on-cases',
  '(staff)/users/actions.ts listPeopleAction': 'see-everything',
  '(staff)/users/actions.ts addPersonAction': 'manage-people',
  '(staff)/users/actions.ts setCustomerNumberAction': 'work-on-cases',
  '(staff)/team/actions.ts inviteAction': 'manage-team',
  '(staff)/team/actions.ts withdrawInvitationAction': 'manage-team',
  '(staff)/overview/actions.ts retryDeadLettersAction': 'manage-endpoints',
  '(staff)/gaps/actions.ts closeGapAction': 'manage-endpoints',
  '(staff)/gaps/actions.ts reopenGapAction': 'manage-endpoints',
  '(staff)/replays/actions.ts startReplayAction': 'replay-deliveries',
  '(staff)/replays/actions.ts stopReplayAction': 'replay-deliveries',
  '(staff)/replays/actions.ts resumeReplayAction': 'replay-deliveries',
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
