import { inStorage } from '#components/ui/browser/in-storage.ts'
import { decodePathPart } from '#components/ui/browser/paths.ts'

/**
 * A recent place is the page of something that was opened here. Addresses hold ids and nothing that says whose they
 * are (decision 0051).
 */
export interface RecentPlace {
  readonly kind: keyof typeof kinds
  readonly id: string
  readonly path: string
}

/** The beginning of a page's address gives the kind. */
const kinds = {
  transactions: 'Transaction',
  accounts: 'Account',
  users: 'Person',
  companies: 'Company',
  timeline: 'Timeline',
  endpoints: 'Endpoint',
  gaps: 'Missed deliveries',
  replays: 'Replay',
} as const

export const recentLabel = ({ kind }: RecentPlace): string => kinds[kind]

/** This many places are kept, the last opened first. */
const most = 7

/** The page of a thing is kept for next time, in this browser, separately for each person. */
export function keepRecent(person: string, path: string): void {
  if (!readPath(path)) return
  const paths = [path, ...storedPaths(person).filter((one) => one !== path)].slice(0, most)
  inStorage('localStorage', (storage) => storage.setItem(keyOf(person), JSON.stringify(paths)))
}

/** This person opened these last, without the page that is open. */
export const readRecent = (person: string, here: string): readonly RecentPlace[] =>
  storedPaths(person).flatMap((path) => (path === here ? [] : (readPath(path) ?? [])))

function storedPaths(person: string): readonly string[] {
  const text = inStorage('localStorage', (storage) => storage.getItem(keyOf(person)))
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string') : []
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

const keyOf = (person: string) => `rampart.recent.${person}`

/** The page of one thing is below a list. Forms such as `/users/new` are left out. */
function readPath(path: string): RecentPlace | null {
  const [, section = '', part = '', ...rest] = path.split('/')
  const kind = Object.keys(kinds).find((each): each is keyof typeof kinds => each === section)
  if (!kind || rest.length > 0 || !/\d/.test(part)) return null
  const id = decodePathPart(part)
  return { kind, id: id.slice(id.indexOf(':') + 1), path }
}
