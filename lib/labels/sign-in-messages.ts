import type { SignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'

/** What happened and what to do next, in whole sentences: the one place for it. */
export const signInMessages = {
  'message-unknown': {
    title: 'This message was not made for this browser.',
    next: 'Nothing happened. Start again and sign the new message.',
  },
  'message-used': {
    title: 'This message was used before.',
    next: 'Each message is good for one signature. Start again and sign the new one.',
  },
  'message-expired': {
    title: 'This message has expired.',
    next: 'It was good for three hours. Start again and sign the new one.',
  },
  'message-refused': {
    title: 'The service refused this signature.',
    next: 'Sign a new message. If it is refused again, sign in with an e-mail code.',
  },
  'wrong-wallet': {
    title: 'This wallet did not sign you in.',
    next: 'The signature must come from the wallet address that your account was created with. Switch to that account and sign again, or sign in with an e-mail code; smart-contract wallets need the code.',
  },
  'unknown-wallet': {
    title: 'No account belongs to this wallet.',
    next: 'Switch to the wallet address that your account was created with, or sign up first.',
  },
  'wallet-unproven': {
    title: 'This wallet cannot sign in yet.',
    next: 'It was given when the account was made, and nobody has confirmed it by the e-mail address since. Sign in with an e-mail code first, in the browser that you signed up with; in another one you are asked whether this wallet is yours.',
  },
  'smart-account': {
    title: 'This wallet is a smart account.',
    next: 'Its signatures are checked by a contract, and the payment service only takes those of an ordinary wallet key. Nothing was sent. Sign in with an e-mail code, or with an ordinary account of your wallet.',
  },
  'clocks-differ': {
    title: 'The clocks differ.',
    next: 'By the payment service’s clock this message is not valid now, so it was not accepted. Your wallet is not to blame. Sign the new message, which is made in the service’s time.',
  },
  'code-elsewhere': {
    title: 'This browser has asked for no code.',
    next: 'A code works for half an hour, in the browser that asked for it and in no other. Ask for a new one here.',
  },
  'code-used-up': {
    title: 'Five codes were wrong.',
    next: 'Ask for a new code and type that one: no other is looked at.',
  },
  'strangers-stopped': {
    title: 'Too many codes were tried for this address today.',
    next: 'Until tomorrow, codes for it work only in browsers that have signed in with it before. Use one of those, or your wallet, or contact support.',
  },
  'another-user': {
    title: 'The service signed in somebody else.',
    next: 'It named another user than the one who asked, so nothing was opened. Try again; if it stays, contact support.',
  },
  'code-refused': {
    title: 'This code was not accepted.',
    next: 'It may be mistyped, too old, or replaced by a newer one. Check the latest e-mail, or ask for a new code.',
  },
  'too-many': {
    title: 'Too many tries.',
    next: 'Wait a few minutes, then try again.',
  },
  'service-busy': {
    title: 'The service was asked too often.',
    next: 'Wait a few minutes, then try again.',
  },
  'service-unavailable': {
    title: 'Signing in did not finish.',
    next: 'The service could not be reached or gave no proper answer. Try again in a minute.',
  },
  'key-refused': {
    title: 'Signing in is not possible at the moment.',
    next: 'The service does not accept this dashboard’s API key. Contact support: only they can put it right.',
  },
  'other-person': {
    title: 'You signed in as somebody else.',
    next: 'What was interrupted belongs to another account, so it was not repeated.',
  },
  'passkey-unknown': {
    title: 'This passkey is not known here.',
    next: 'It was removed, or belongs to another dashboard. Choose another passkey, sign in another way, or ask an admin.',
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
    next: 'Its counter went back, so it was refused and all admins were told. Sign in another way, remove it, and add a new one.',
  },
  'passkey-refused': {
    title: 'This passkey was not accepted.',
    next: 'Your device must confirm that it is you, by fingerprint, face or PIN. Try again, or use another passkey.',
  },
  'sso-unknown': {
    title: 'This answer was not asked for in this browser.',
    next: 'Nothing happened. It may be old, or used before. Start again here; if a link or a mail led you here, tell an admin.',
  },
  'sso-declined': {
    title: 'Single sign-on was cancelled.',
    next: 'Nothing happened. Start again, or sign in another way.',
  },
  'sso-provider-down': {
    title: 'Single sign-on cannot be reached at the moment.',
    next: 'Nothing happened. Try again in a minute, or sign in with a passkey.',
  },
  'sso-refused': {
    title: 'The answer of single sign-on was not accepted.',
    next: 'Nothing happened. Try again; if it stays, sign in another way and tell whoever runs this dashboard: its log says what was wrong.',
  },
  'sso-no-role': {
    title: 'Your account has no role here.',
    next: 'You are who you say, but nothing says what you may do. Ask whoever manages your account.',
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
  'went-wrong': {
    title: 'Signing in went wrong here.',
    next: 'Nothing was lost. Try again; if it stays, contact support.',
  },
} as const satisfies Record<SignInRefusal, { title: string; next: string }>
