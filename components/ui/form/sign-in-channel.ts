import { tabChannel } from './tab-channel.ts'

/** Notifies the other tabs of this browser that somebody has just signed in here, and is notified by them. */
export const { announce: announceSignIn, listen: onSignInElsewhere } = tabChannel('rampart-signed-in')
