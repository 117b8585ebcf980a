import { type CustomerRefusal, customerRefusals } from '#lib/words/messages/sign-in-refusals.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'

/** Each message says what happened and what to do next. Only staff meet these. */
export const staffSignInMessages = {
  'passkey-unknown': {
    title: 'This passkey is not known here.',
    next: 'It was removed, belongs to another dashboard, or you were removed from the team. Choose another passkey, sign in another way, or ask an admin.',
  },
  'passkey-other-origin': {
    title: 'This passkey was used on another site.',
    next: 'Nothing happened. Open this dashboard by its own address and try again there; if a link or a mail led you here, tell an admin.',
  },
  'passkey-other-browser': {
    title: 'This was not asked of this browser.',
    next: 'Nothing happened. Start again here.',
  },
  'passkey-used': {
    title: 'This answer of a passkey was used before.',
    next: 'Each is good for one time. Start again and confirm once more.',
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
    next: 'Its counter went back or stood still, as after a copy or a reset of the device. It was refused, and all admins were told. Use another passkey or single sign-on, or ask whoever runs the server for a sign-in link. Then remove this passkey under “Your sign-ins” and add a new one.',
  },
  'passkey-unverified': {
    title: 'Your device did not check that it is you.',
    next: 'Nothing happened. Set up a fingerprint, face or PIN for this device or security key in its settings, then try again; or use another passkey.',
  },
  'passkey-refused': {
    title: 'This passkey was not accepted.',
    next: 'Nothing happened: its answer does not fit this dashboard. Try again, or use another passkey. If it stays, tell whoever runs this dashboard: its log says what was wrong.',
  },
  'sso-unknown': {
    title: 'This answer was not asked for in this browser.',
    next: 'Nothing happened. It may be old, or used before. Start again here; if a link or a mail led you here, tell an admin.',
  },
  'sso-expired': {
    title: 'That took too long.',
    next: 'Nothing happened: you have fifteen minutes at your provider. Start again here.',
  },
  'sso-declined': {
    title: 'Single sign-on was cancelled.',
    next: 'Nothing happened. Start again, or sign in another way.',
  },
  'sso-provider-down': {
    title: 'Single sign-on cannot be reached at the moment.',
    next: 'Nothing happened. Try again in a minute, or sign in with a passkey.',
  },
  'sso-issuer': {
    title: 'Single sign-on has another address than is set here.',
    next: 'Nothing happened, and waiting does not help. Sign in another way and tell whoever runs this dashboard: its log names the address that is set (OIDC_ISSUER) and what answered there.',
  },
  'sso-certificate': {
    title: 'Single sign-on has a certificate that this dashboard does not trust.',
    next: 'Nothing happened, and waiting does not help. Sign in another way and tell whoever runs this dashboard: the authority of that certificate belongs into NODE_EXTRA_CA_CERTS.',
  },
  'sso-client': {
    title: 'Your provider does not take this dashboard for its client.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way and tell whoever runs this dashboard: OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be those of the client at the provider.',
  },
  'sso-scope': {
    title: 'Your provider does not know what this dashboard asks for.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way and tell whoever runs this dashboard: OIDC_SCOPE has a scope that the provider does not give to this client.',
  },
  'sso-pushed': {
    title: 'Your provider takes pushed requests alone, and offers no address for them.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way and tell whoever runs this dashboard: at the provider, turn pushed authorization requests off for this client, or their address on.',
  },
  'sso-question': {
    title: 'Your provider refuses how this dashboard asks.',
    next: 'Nothing happened, and your account is not to blame. Sign in another way and tell whoever runs this dashboard: its log has the reason that the provider gives.',
  },
  'sso-asks-not-again': {
    title: 'Your provider refuses to ask you to sign in again.',
    next: 'Nothing happened. Confirm with a passkey. Without one, ask whoever runs the server for a sign-in link; the log has the reason that the provider gives.',
  },
  'sso-encrypted': {
    title: 'Your provider encrypts its answer.',
    next: 'Nothing happened: this dashboard has no key to read it. Sign in another way and tell whoever runs this dashboard: at the provider, turn the encryption of identity tokens off for this client.',
  },
  'sso-algorithm': {
    title: 'Your provider signs its answer in a way that is not taken here.',
    next: 'Nothing happened. Sign in another way and tell whoever runs this dashboard: at the provider, have identity tokens of this client signed by RS256, PS256, ES256 or EdDSA; its log names what came.',
  },
  'sso-refused': {
    title: 'The answer of single sign-on was not accepted.',
    next: 'Nothing happened. Try again; if it stays, sign in another way and tell whoever runs this dashboard: its log says what was wrong.',
  },
  'sso-not-again': {
    title: 'Your provider did not say that you signed in just now.',
    next: 'Nothing happened. Confirm with a passkey. Without one, sign out at the provider and try again; if it stays, ask whoever runs the server for a sign-in link.',
  },
  'sso-no-role': {
    title: 'Your account has no role here.',
    next: 'You are who you say, but nothing says what you may do. Ask whoever manages your account.',
  },
  'sso-role-not-sent': {
    title: 'Your provider did not say which role you have.',
    next: 'Nothing was changed: your role stays, and you stay signed in elsewhere. Sign in another way, such as with a passkey, and tell an admin: the page Settings shows what the provider sent.',
  },
  'sso-role-unreadable': {
    title: 'Your provider sent your role in a form that cannot be read here.',
    next: 'Nothing was changed: your role stays, and you stay signed in elsewhere. Sign in another way, such as with a passkey, and tell an admin: the page Settings shows what the provider sent.',
  },
  'sso-issuer-moved': {
    title: 'You seem to be known here from another address of your provider.',
    next: 'Nothing was changed. If the provider has moved, whoever runs this dashboard takes its members along: npm run rampart move-issuer. Until then sign in another way, such as with a passkey.',
  },
  'sso-not-invited': {
    title: 'You are not a member of the team yet.',
    next: 'Ask an admin for an invitation, open its link in this browser, and choose single sign-on there.',
  },
  'sso-removed': {
    title: 'You were removed from the team.',
    next: 'If that was a mistake, ask an admin for an invitation.',
  },
  'sso-last-admin': {
    title: 'You are the last admin, and your provider gives you another role.',
    next: 'Nobody was signed in, and you stay an admin, since without one nobody could manage the team. Have the provider give the role of an admin back; or make somebody else an admin first, where you are still signed in, by a passkey, or by a sign-in link from whoever runs the server.',
  },
  'sso-known-address': {
    title: 'A member of the team has your e-mail address already.',
    next: 'Nothing was changed. If that is you, sign in as you did before, such as with a passkey. To change over, ask an admin to remove that member; then come again.',
  },
  'sso-link-gone': {
    title: 'Your link was withdrawn or used meanwhile.',
    next: 'You were not added to the team. Ask whoever sent it for another one.',
  },
} as const satisfies Record<Exclude<SignInRefusal, CustomerRefusal>, { title: string; next: string }>

/** Customers read theirs in their own language; staff read them all in English. */
export const signInMessages = { ...customerRefusals, ...staffSignInMessages } as const
