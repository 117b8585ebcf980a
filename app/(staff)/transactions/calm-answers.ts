import type { LinkedFound } from '#lib/search/search.ts'

interface Given {
  readonly key: string
  readonly found: LinkedFound
  /** Milliseconds since 1970. */
  readonly until: number
}

/** An answer holds for so long, and for each line of a paste a little longer. Milliseconds. */
const [shortest, eachLine] = [4_000, 1_500]

/**
 * Each search counts against a limit, and news may arrive many times a second: within a while the same question gets the answer
 * that it got, and is put `again` when the while is over. In a tab that nobody sees that is when it is seen again, so that
 * forgotten tabs leave the limit to whoever types.
 */
export function calmAnswers(again: () => void, isHidden: () => boolean) {
  let given: Given | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let owed = false
  return {
    calmly: async (key: string, ask: () => Promise<LinkedFound>): Promise<LinkedFound> => {
      const known = given?.key === key ? given : null
      owed = known !== null && isHidden()
      if (known && owed) return known.found
      const left = known ? known.until - Date.now() : 0
      if (known && left > 0) {
        clearTimeout(timer)
        timer = setTimeout(again, left)
        return known.found
      }
      const found = await ask()
      const pause = Math.max(shortest, eachLine * (found.lines?.length ?? 1))
      given = { key, found, until: Date.now() + pause }
      return found
    },
    onVisible: () => {
      if (owed && !isHidden()) again()
    },
    stop: () => clearTimeout(timer),
  }
}
