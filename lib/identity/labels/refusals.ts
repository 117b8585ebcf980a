import type { RefusalWords } from '#lib/platform/labels/refusals.ts'
import { staffSignInMessages } from './sign-in-messages.ts'

/** Only staff meet these refusals, so they are in English. */
export const identityRefusals = {
  ...staffSignInMessages,
  'set-up-ended': {
    title: 'This took too long, or was continued elsewhere.',
    next: 'Nothing was changed. Open your link again.',
  },
  'invitation-not-open': {
    title: 'This invitation is not open any more.',
    next: 'It was used or withdrawn meanwhile. Look at the team: a member who should not be there can be removed.',
  },
  'member-gone': {
    title: 'This person is not in the team any more.',
    next: 'Nothing was changed. Reload the page to see who is.',
  },
  'fixed-admin': {
    title: 'RAMPART_ADMINS makes this person an admin.',
    next: 'Nothing was changed. The operator must remove them from that setting first.',
  },
  'last-admin': {
    title: 'This is the last admin.',
    next: 'Nothing was changed. Make somebody else an admin first: without one nobody could manage the team.',
  },
  'no-passkey': {
    title: 'You have no passkey here.',
    next: 'Sign in again as usual; you can add a passkey on “Your sign-ins”.',
  },
  'passkeys-for-team': {
    title: 'Passkeys are for the team.',
    next: 'You sign in by wallet or e-mail code.',
  },
  'passkey-made-for-another': {
    title: 'This passkey was made for somebody else.',
    next: 'Nothing was added. Start again.',
  },
  /** A removed passkey and somebody else's passkey get the same words. */
  'passkey-gone': {
    title: 'This passkey is gone already.',
    next: 'Reload the page to see which ones you have.',
  },
  'last-passkey': {
    title: 'This is your only way in.',
    next: 'Nothing was removed. Add another passkey first, then remove this one.',
  },
  'passkeys-impossible': {
    title: 'There are no passkeys at this address.',
    next: 'Browsers offer them where the dashboard has a host name and HTTPS. The operator sets PUBLIC_URL.',
  },
  'passkey-known': {
    title: 'This passkey is known here already.',
    next: 'Nothing was added. Choose another device, or remove the passkey from the list first.',
  },
  'session-unknown': {
    title: 'There is no such session any more.',
    next: 'Reload the page to see where this person is signed in.',
  },
  'no-single-sign-on': {
    title: 'There is no single sign-on here.',
    next: 'Sign in another way. The operator can set it up.',
  },
  /** A token that was never given gets the same words as a link that was removed, so that nothing tells them apart. */
  'link-unknown': {
    title: 'This link is not valid.',
    next: 'Check that it was copied whole. If you have used it before, sign in. If not, ask whoever sent it for another one.',
  },
  'link-used': {
    title: 'This link was used before.',
    next: 'Each link works once. If that was you, sign in. If not, tell an admin at once.',
  },
  'link-expired': {
    title: 'This link has expired.',
    next: 'Ask whoever sent it for another one. The first admin makes one on the server: npm run rampart setup-link.',
  },
  'link-withdrawn': {
    title: 'This link was withdrawn.',
    next: 'Somebody took it back, or made a newer one. Ask whoever sent it.',
  },
  'link-admin-exists': {
    title: 'There is an admin already.',
    next: 'Nothing was changed. A set-up link is for the first one; ask that admin for an invitation.',
  },
  'invited-already': {
    title: '{name} has been invited already.',
    next: '{by} did. Nothing was sent. To send another link, withdraw that invitation first.',
  },
  'too-many-links': { title: 'Too many links were tried.', next: 'Wait {wait}, then try again.' },
  'provider-down': {
    title: '{name} cannot be reached at the moment.',
    next: staffSignInMessages['sso-provider-down'].next,
  },
  'provider-issuer': {
    title: '{name} has another address than is set here.',
    next: staffSignInMessages['sso-issuer'].next,
  },
  'provider-incomplete': {
    title: '{name} does not say all that a sign-in needs.',
    next: staffSignInMessages['sso-incomplete'].next,
  },
  'provider-certificate': {
    title: '{name} has no certificate that this dashboard trusts.',
    next: staffSignInMessages['sso-certificate'].next,
  },
  'no-name': { title: 'Say who you are first.', next: 'Enter your name, then go on.' },
} as const satisfies Record<string, RefusalWords>
