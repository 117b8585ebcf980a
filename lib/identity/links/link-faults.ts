import 'server-only'

/** Why a link does not open, and what to do: the same words for every kind. */
export const linkFaults = {
  /** Of a token that nobody was given, and of a link that was removed since: nothing tells them apart. */
  unknown: {
    title: 'This link is not valid, or not any more.',
    next: 'Check that it was copied whole. If you have used it before, sign in. If not, ask whoever sent it for another one.',
  },
  used: {
    title: 'This link was used before.',
    next: 'Each is good for one time. If that was you, sign in. If it was not, tell an admin at once.',
  },
  expired: {
    title: 'This link has expired.',
    next: 'Ask whoever sent it for another one. The first admin makes one on the server: npm run rampart setup-link.',
  },
  withdrawn: {
    title: 'This link was withdrawn.',
    next: 'Somebody took it back, or made a newer one. Ask whoever sent it.',
  },
  'admin-exists': {
    title: 'There is an admin already.',
    next: 'Nothing was changed. A set-up link is for the first one; ask that admin for an invitation.',
  },
} as const

export type LinkFault = keyof typeof linkFaults
