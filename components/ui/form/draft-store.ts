import { inStorage } from '#components/ui/browser/in-storage.ts'
import { announceSignOut } from './tab-channel.ts'

/** A draft is the text of a form that was not sent: the value of each control that was changed. */
export type Draft = readonly (readonly [control: string, value: string])[]

/**
 * This tab's storage keeps the draft of one form under this key, and ends with the tab. `person` is a tag of the
 * person, not an id; `page` is the path, mostly with its query.
 */
export const draftKey = (person: string, page: string, form: string) => `${prefix}${person} ${page} ${form}`

const prefix = 'rampart.draft.'

/** This replaces a person’s tag before anybody has signed in. */
export const beforeSignIn = 'nobody'

/** The draft replaces the one before. */
export function keepDraft(key: string, draft: Draft): void {
  inStorage('sessionStorage', (storage) => storage.setItem(key, JSON.stringify(draft)))
}

/** The stored draft; null when there is none, or something else is stored. */
export function findDraft(key: string): Draft | null {
  return parseDraft(inStorage('sessionStorage', (storage) => storage.getItem(key)))
}

/** The draft was stored under one of these keys, and is stored under the first from now on. */
export function takeDraft([newest, ...older]: readonly [string, ...string[]]): Draft | null {
  for (const key of older) {
    const draft = findDraft(key)
    if (draft === null) continue
    keepDraft(newest, draft)
    removeDraft(key)
  }
  return findDraft(newest)
}

/** The form was sent, or the draft is not wanted. */
export function removeDraft(key: string): void {
  inStorage('sessionStorage', (storage) => storage.removeItem(key))
}

/** Every draft of this tab is deleted, except those of `person`, by any of their tags. */
export function removeDrafts(person: readonly string[]): void {
  inStorage('sessionStorage', (storage) => {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
    const isOthers = (key: string) =>
      key.startsWith(prefix) && !person.some((tag) => key.startsWith(`${prefix}${tag} `))
    for (const key of keys.filter(isOthers)) storage.removeItem(key)
  })
}

function parseDraft(text: string | null): Draft | null {
  if (text === null) return null
  try {
    const stored: unknown = JSON.parse(text)
    return Array.isArray(stored) && stored.every(isEntry) ? stored : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isEntry = (entry: unknown): entry is readonly [string, string] =>
  Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string')

/** Nobody comes back to this session, so text that was typed and not sent is deleted in every tab of this browser. */
export function endDrafts(): void {
  removeDrafts([beforeSignIn])
  announceSignOut()
}
