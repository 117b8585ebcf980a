import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/** Hexadecimal digits have no letter that depends on the language. An index uses these expressions. */
const ofHexadecimals = /lower\((target_address|address|\$2|filter ->> 'user')\)/g

const root = path.resolve(import.meta.dirname, '../../..')
const files = fs.globSync('lib/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$|generated/.test(file))
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')

test('no statement changes case by the language of the database', () => {
  const found = files.filter(
    (file) =>
      !file.endsWith('statements.ts') &&
      /\b(lower|upper|initcap)\(|\bILIKE\b/.test(read(file).replaceAll(ofHexadecimals, '')),
  )
  expect(files.length).toBeGreaterThan(400)
  expect(found).toEqual([])
})

/** Hours and days begin elsewhere in another zone; minutes and seconds do not. */
const byZone =
  /date_trunc\('(?!min|sec|mil)\w+', [\w.$]+(\(\))?\)|\b(current_date|localtime\w*)\b|(?<!'UTC'\))::date\b/i

test('no statement begins an hour or a day by the zone of the database', () => {
  expect(files.filter((file) => byZone.test(read(file)))).toEqual([])
  expect(
    [`date_trunc('hour', at)`, `date_trunc('day', now())`, 'now()::date'].filter((sql) => !byZone.test(sql)),
  ).toEqual([])
})

test('each connection is made independent of the settings of the database', () => {
  const openers = files.filter((file) =>
    /new (pg\.)?(Timed)?(Client|Pool)\(|extends pg\.Pool/.test(read(file)),
  )
  expect(openers.length).toBeGreaterThan(2)
  expect(openers.filter((file) => !read(file).includes('settleSession('))).toEqual([])
})
