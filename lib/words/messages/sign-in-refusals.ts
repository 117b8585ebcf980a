/** Each refusal tells a customer in English why they were not signed in and what to do next. */
export const customerRefusals = {
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
    title: 'The provider refused this signature.',
    next: 'Sign a new message. If it is refused again, sign in with an e-mail code.',
  },
  'wallet-refused': {
    title: 'This wallet cannot sign in here.',
    next: 'If you have just signed up, sign in with an e-mail code first, in the same browser. Otherwise switch to the wallet address of your account and sign again. Smart-contract wallets need the code.',
  },
  'account-erased': {
    title: 'This account was deleted here.',
    next: 'Your data here was deleted for good. Nobody can sign in to this account any more. Contact support to open a new one.',
  },
  'smart-account': {
    title: 'This wallet is a smart account.',
    next: 'The payment provider accepts signatures of ordinary wallet keys only. Nothing was sent. Sign in with an e-mail code, or with an ordinary account of your wallet.',
  },
  'signature-unreadable': {
    title: 'The wallet’s signature cannot be read.',
    next: 'Nothing was sent, and the message is still good. Sign again. If it stays, sign in with an e-mail code, or with another wallet.',
  },
  'clocks-differ': {
    title: 'The clocks differ.',
    next: 'By the payment provider’s clock this message is not valid now. Your wallet is not to blame. Sign the new message, made in the provider’s time.',
  },
  'no-cookies': {
    title: 'This browser keeps no cookies for this address, or a proxy removes them.',
    next: 'You were not signed in. Allow cookies for this address, or use another browser. If it stays, contact support: a proxy may remove them.',
  },
  'code-elsewhere': {
    title: 'This browser has asked for no code.',
    next: 'A code works for half an hour, only in the browser that requested it. Request a new one here.',
  },
  'code-used-up': {
    title: 'This code no longer works.',
    next: 'Five codes were wrong. Ask for a new one.',
  },
  'strangers-stopped': {
    title: 'Too many codes were tried for this address today.',
    next: 'Until tomorrow, codes work only in browsers that have signed in with this address before. Use one of those or your wallet, or contact support.',
  },
  'another-user': {
    title: 'The provider signed in somebody else.',
    next: 'Nothing was opened. Try again; if it happens again, contact support.',
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
    title: 'The provider was asked too often.',
    next: 'Wait a few minutes, then try again.',
  },
  'service-unavailable': {
    title: 'Signing in did not finish.',
    next: 'The provider could not be reached or gave no proper answer. Try again in a minute.',
  },
  'key-refused': {
    title: 'Signing in is not possible at the moment.',
    next: 'The provider does not accept this dashboard’s API key. Contact support: only they can put it right.',
  },
  'other-person': {
    title: 'You signed in as somebody else.',
    next: 'What was interrupted belongs to another account, so it was not repeated.',
  },
  'went-wrong': {
    title: 'Signing in went wrong here.',
    next: 'Nothing was lost. Try again; if it stays, contact support.',
  },
} as const

export type CustomerRefusal = keyof typeof customerRefusals
