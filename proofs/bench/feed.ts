import { listEvents } from '../../lib/timeline/list-events.ts'
import { listTransactions } from '../../lib/transactions/list-transactions.ts'
import { compareSizes, formatComparison, type Size, staff, withTwoSizes } from './lists/lists.ts'

export const when = 'the statements or indexes of the two lists changed'

const limit = 20
const page = 1_000
const readings = 300

/** Each list has a function that reads one page from a starting row. */
const lists = {
  timeline: async (before: string | undefined, rows = limit) => {
    const read = await listEvents(staff, { before, limit: rows })
    return { count: read.rows.length, next: read.older }
  },
  transactions: async (cursor: string | undefined, rows = limit) => {
    const read = await listTransactions(staff, { cursor, limit: rows })
    return { count: read.rows.length, next: read.next }
  },
}
type Read = (typeof lists)[keyof typeof lists]

/** The benchmark reads the first page and page 1,000 of both lists, totals included. */
export default async function feed(): Promise<void> {
  await withTwoSizes(process.argv[3], async (on) => {
    const ratios: number[] = []
    for (const [name, read] of Object.entries(lists)) {
      const deep = {
        small: await on('small', () => placeOf(read)),
        large: await on('large', () => placeOf(read)),
      }
      const places: [number, Record<Size, string | undefined>][] = [
        [1, { small: undefined, large: undefined }],
        [page, deep],
      ]
      for (const [number, place] of places) {
        const compared = await compareSizes(on, readings, async (size) => {
          const { count } = await read(place[size])
          if (count !== limit) throw new Error(`${name}: no page ${number}`)
        })
        console.log(`${name.padEnd(12)} page ${String(number).padEnd(4)} ${formatComparison(compared)}`)
        ratios.push(compared.ratio)
      }
    }
    console.log(`feed ratio=${Math.max(...ratios).toFixed(2)}`)
  })
}

/** The function reads through the pages before it, several at a time. */
async function placeOf(read: Read): Promise<string> {
  let place: string | undefined
  const most = 200
  for (let left = limit * (page - 1); left > 0; left -= most)
    place = (await read(place, Math.min(most, left))).next ?? undefined
  if (place === undefined) throw new Error(`There is no page ${page}`)
  return place
}
