import { tabChannel } from './tab-channel.ts'

/** Notifies the other tabs of this browser that somebody signs out here, and is notified by them. */
export const { announce: announceSignOut, listen: onSignOutElsewhere } = tabChannel('rampart-signed-out')
