import { type CustomerRefusal, customerRefusals } from '#lib/words/messages/sign-in-refusals.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'

/** Each message says what happened and what to do next. Only staff meet these. */
export const staffSignInMessages = {
  'passkey-unknown': {
    title: 'This passkey is not known here.',
    next: 'It was removed, or belongs to another dashboard. Or you were removed from the team. Choose another passkey, sign in another way, or ask an admin.',
  },
  'passkey-other-origin': {
    title: 'This passkey was used on another site.',
    next: 'Nothing happened. Open this dashboard by its own address and try again. If a link or a mail led you here, tell an admin.',
  },
  'passkey-other-browser': {
    title: 'This was not asked of this browser.',
    next: 'Nothing happened. Start again here.',
  },
  'passkey-used': {
    title: 'This passkey answer was used before.',
    next: 'Each answer works once. Start again and confirm once more.',
  },
  'passkey-expired': {
    title: 'That took too long.',
    next: 'A passkey must answer within five minutes. Start again.',
  },
  'passkey-of-another': {
    title: 'This passkey belongs to somebody else.',
    next: 'Nothing was changed. Choose one of your own.',
  },
  'passkey-copied': {
    title: 'This passkey may have been copied.',
    next: 'Its counter did not go up, as after a copy or a reset. It was refused, and all admins were told. Use another passkey, single sign-on or a sign-in link from the operator. Then remove this passkey under “Your sign-ins” and add a new one.',
  },
  'passkey-unverified': {
    title: 'Your device did not check that it is you.',
    next: 'Nothing happened. Set up a fingerprint, face or PIN for this device or security key. Then try again, or use another passkey.',
  },
  'passkey-refused': {
    title: 'This passkey was not accepted.',
    next: 'Nothing happened: its answer does not fit this dashboard. Try again, or use another passkey. If it stays, tell the operator: the log says what was wrong.',
  },
  'sso-unknown': {
    title: 'This browser did not ask for this answer.',
    next: 'Nothing happened. It may be old, or used before. Start again here. If a link or a mail led you here, tell an admin.',
  },
  'sso-expired': {
    title: 'That took too long.',
    next: 'Nothing happened. The fifteen minutes were over, or you signed in in another tab. Start again here.',
  },
  'sso-declined': {
    title: 'Your identity provider did not let you in.',
    next: 'Nothing happened. You cancelled, or your account may not use this dashboard. Start again, or ask whoever manages your account.',
  },
  'sso-provider-down': {
    title: 'Single sign-on cannot be reached at the moment.',
    next: 'Nothing happened. Try again in a minute, or sign in with a passkey.',
  },
  'sso-issuer': {
    title: 'Single sign-on has another address than is set here.',
    next: 'Nothing happened, and waiting does not help. Sign in another way, and tell the operator. The log names the configured address (OIDC_ISSUER) and what answered there.',
  },
  'sso-incomplete': {
    title: 'Single sign-on does not say all that a sign-in needs.',
    next: 'Nothing happened, and waiting does not help. Sign in another way, and tell the operator. The log names what is missing in the identity provider’s discovery document.',
  },
  'sso-certificate': {
    title: 'Single sign-on has no certificate that this dashboard trusts.',
    next: 'Nothing happened, and waiting does not help. Sign in another way, and tell the operator. The log says what is wrong with the certificate.',
  },
  'sso-client': {
    title: 'Your identity provider does not accept this dashboard as a client.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way, and tell the operator. OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be those of the client there.',
  },
  'sso-scope': {
    title: 'Your identity provider does not know a scope of this dashboard.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way, and tell the operator. OIDC_SCOPE has a scope that this client may not use there.',
  },
  'sso-pushed': {
    title: 'Your identity provider takes pushed requests only, and offers no address for them.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way, and tell the operator. At the identity provider, turn pushed authorization requests off, or their address on.',
  },
  'sso-question': {
    title: 'Your identity provider refuses this dashboard’s request.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way, and tell the operator. The log has the identity provider’s reason.',
  },
  'sso-asks-not-again': {
    title: 'Your identity provider refuses to ask you to sign in again.',
    next: 'Nothing happened. Confirm with a passkey. Without one, ask the operator for a sign-in link. The log has the identity provider’s reason.',
  },
  'sso-encrypted': {
    title: 'Your identity provider encrypts its answer.',
    next: 'Nothing happened: this dashboard has no key to read it. Sign in another way, and tell the operator. At the identity provider, turn the encryption of identity tokens off.',
  },
  'sso-algorithm': {
    title: 'Your identity provider signs its answer in a way that is not accepted here.',
    next: 'Nothing happened. Sign in another way, and tell the operator. Identity tokens must be signed by RS256, PS256, ES256 or EdDSA. The log names what came.',
  },
  'sso-claim': {
    title: 'Your identity provider sends a claim in a form that cannot be read.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way, and tell the operator. The log names the claim, such as auth_time: it must be a number, or left out.',
  },
  'sso-refused': {
    title: 'The answer of single sign-on was not accepted.',
    next: 'Nothing happened. Try again. If it stays, sign in another way, and tell the operator: the log says what was wrong.',
  },
  'sso-not-again': {
    title: 'Your identity provider did not say that you signed in just now.',
    next: 'Nothing happened. Confirm with a passkey. Without one, sign out at the identity provider and try again. If it stays, ask the operator for a sign-in link.',
  },
  'sso-no-role': {
    title: 'Your account has no role here.',
    next: 'You signed in, but your account has no role. Ask whoever manages your account.',
  },
  'sso-role-not-sent': {
    title: 'Your identity provider did not say which role you have.',
    next: 'Nothing was changed: you keep your role and your sessions. Sign in another way, such as with a passkey, and tell an admin. The page Settings shows what came.',
  },
  'sso-role-unreadable': {
    title: 'Your identity provider sent your role in a form that cannot be read.',
    next: 'Nothing was changed: you keep your role and your sessions. Sign in another way, such as with a passkey, and tell an admin. The page Settings shows what came.',
  },
  'sso-issuer-moved': {
    title: 'You seem to be known here from another address of your identity provider.',
    next: 'Nothing was changed. If the identity provider has moved, the operator moves its members: npm run rampart move-issuer. Until then sign in another way, such as with a passkey.',
  },
  'sso-not-invited': {
    title: 'You are not a member of the team yet.',
    next: 'Ask an admin for an invitation. Open its link in this browser, and choose single sign-on there.',
  },
  'sso-removed': {
    title: 'You were removed from the team.',
    next: 'If that was a mistake, ask an admin for an invitation.',
  },
  'sso-last-admin': {
    title: 'Nobody else is an admin, and your identity provider gives you another role.',
    next: 'Nobody was signed in. An admin stays one, and a set-up link still works. Have the identity provider give you the role of an admin. Or make somebody else an admin first, where you are still signed in. Otherwise use a passkey, or a link from the operator.',
  },
  'sso-known-address': {
    title: 'A member of the team has your e-mail address already.',
    next: 'Nothing was changed. If that is you, sign in as before, such as with a passkey. To change over, ask an admin to remove that member; then come again.',
  },
  'sso-link-gone': {
    title: 'Your link was withdrawn or used meanwhile.',
    next: 'You were not added to the team. Ask whoever sent it for another one.',
  },
} as const satisfies Record<Exclude<SignInRefusal, CustomerRefusal>, { title: string; next: string }>

/** Customers read theirs in their own language; staff read them all in English. */
export const signInMessages = { ...customerRefusals, ...staffSignInMessages } as const
