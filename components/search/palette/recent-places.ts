import { decodePathPart } from '#components/ui/browser/paths.ts'

/** A thing that was opened here: its page alone. Addresses hold ids and nothing that says whose (decision 0051). */
export interface RecentPlace {
  readonly kind: keyof typeof kinds
  readonly id: string
  readonly path: string
}

/** What is kept, by the beginning of its page's address. */
const kinds = {
  transactions: 'Transaction',
  accounts: 'Account',
  users: 'Person',
  companies: 'Company',
  timeline: 'Timeline',
  endpoints: 'Endpoint',
  gaps: 'Gap',
  replays: 'Replay',
} as const

export const recentLabel = ({ kind }: RecentPlace): string => kinds[kind]

/** So many are kept, the last opened first. */
const most = 7

/** Keeps the page of a thing for next time, in this browser, apart for each person. */
export function keepRecent(person: string, path: string): void {
  if (!readPath(path)) return
  const paths = [path, ...storedPaths(person).filter((one) => one !== path)].slice(0, most)
  try {
    localStorage.setItem(keyOf(person), JSON.stringify(paths))
  } catch (error) {
    // A browser that keeps nothing remembers nothing.
    if (!(error instanceof DOMException)) throw error
  }
}

/** What this person opened last, but for the page that is open. */
export const readRecent = (person: string, here: string): readonly RecentPlace[] =>
  storedPaths(person).flatMap((path) => (path === here ? [] : (readPath(path) ?? [])))

function storedPaths(person: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(person)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string') : []
  } catch (error) {
    if (error instanceof DOMException || error instanceof SyntaxError) return []
    throw error
  }
}

const keyOf = (person: string) => `rampart.recent.${person}`

/** A page below a list, of one thing; forms such as `/users/new` are none. */
function readPath(path: string): RecentPlace | null {
  const [, section = '', part = '', ...rest] = path.split('/')
  const kind = Object.keys(kinds).find((each): each is keyof typeof kinds => each === section)
  if (!kind || rest.length > 0 || !/\d/.test(part)) return null
  const id = decodePathPart(part)
  return { kind, id: id.slice(id.indexOf(':') + 1), path }
}
