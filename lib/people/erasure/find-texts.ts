import 'server-only'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { textPages, textsOfPage } from './conditions.ts'
import { holdsValue, type PersonValues } from './person-values.ts'

/**
 * These texts of staff and strangers name the person: `holdsValue` judges them, as it judges bodies. They are read page by
 * page, so that no statement takes long and few texts are in memory. The process answers others in between.
 */
export async function findTexts(
  database: pg.Pool | pg.ClientBase,
  person: PersonValues,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const sql of textPages)
    for (let after: string | null = null, more = true; more; ) {
      const { rows }: { rows: TextRow[] } = await database.query<TextRow>(sql, [after])
      for (const [nth, text] of rows.flatMap(({ texts }) => texts).entries()) {
        if (!found.has(text) && holdsValue(person, text)) found.add(text)
        if ((nth + 1) % textsOfTurn === 0) await setImmediate()
      }
      after = JSON.stringify(rows.at(-1)?.key)
      more = rows.length === textsOfPage
    }
  return [...found]
}

const textsOfTurn = 20

interface TextRow {
  readonly key: readonly string[]
  readonly texts: readonly string[]
}
