import { announceSignOut } from './tab-channel.ts'

/** What was typed into a form and not sent: what stands in each control that was changed. */
export type Draft = readonly (readonly [control: string, value: string])[]

/**
 * Where the draft of one form is kept: in the storage of this tab, which ends with it.
 * @param person a tag of whoever types, not an id
 * @param page the path with its query
 */
export const draftKey = (person: string, page: string, form: string) => `${prefix}${person} ${page} ${form}`

const prefix = 'rampart.draft.'

/** Who types before anybody has signed in, in place of a person’s tag. */
export const beforeSignIn = 'nobody'

/** Keeps a draft in place of the one before. */
export function keepDraft(key: string, draft: Draft): void {
  inStorage((storage) => storage.setItem(key, JSON.stringify(draft)))
}

/** The draft that was kept; null when there is none, or something else stands there. */
export function findDraft(key: string): Draft | null {
  return inStorage((storage) => parseDraft(storage.getItem(key)))
}

/** The draft that was kept under any of these keys, which is kept under the first from now on. */
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
  inStorage((storage) => storage.removeItem(key))
}

/** Removes every draft of this tab, but for those of `person`, by any of their tags. */
export function removeDrafts(person: readonly string[]): void {
  inStorage((storage) => {
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

/** A browser that keeps nothing for pages, or no more, keeps no drafts. */
function inStorage<T>(work: (storage: Storage) => T): T | null {
  try {
    return work(sessionStorage)
  } catch (error) {
    if (error instanceof DOMException) return null
    throw error
  }
}

/** Nobody comes back to this session: what was typed and not sent goes in every tab of this browser. */
export function endDrafts(): void {
  removeDrafts([beforeSignIn])
  announceSignOut()
}
