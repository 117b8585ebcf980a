/** Asks whoever draws the list of keys for it. */
export const openKeys = () => void document.dispatchEvent(new Event(keysAsked))

/** What `openKeys` says to the document. */
export const keysAsked = 'rampart-keys'
