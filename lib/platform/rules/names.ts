/**
 * `ownValue` looks up a name that a delivery, a form or an address may have given. `toString` and `__proto__` find nothing.
 */
export const ownValue = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/**
 * `nearestName` finds the name that was most likely meant: the one with the fewest letters changed, added, left out or
 * exchanged. It is null when none is near enough. Case does not matter, and the names are in capitals.
 * @param most the number of letters that may differ
 */
export function nearestName(given: string, names: readonly string[], most: number): string | null {
  const upper = given.toUpperCase()
  const ranked = names
    .map((name) => ({ name, distance: letterDistance(upper, name) }))
    .sort((one, other) => one.distance - other.distance || other.name.length - one.name.length)
  const [near] = ranked
  return near && near.distance <= most ? near.name : null
}

/**
 * The distance counts the edits from one text to the other. Two letters that changed places are one edit (Damerau and
 * Levenshtein, adjacent letters).
 */
function letterDistance(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, n) => n)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      const edits = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1)]
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) edits.push((before[j - 2] ?? 0) + 1)
      row.push(Math.min(...edits))
    }
    ;[before, last] = [last, row]
  }
  return last[other.length] ?? 0
}
