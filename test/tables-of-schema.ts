import fs from 'node:fs'
import path from 'node:path'

const folder = path.join(import.meta.dirname, '../prisma/schema')

/** The names of the database's tables, as the models of Prisma's schema map them. */
export const tablesOfSchema = fs
  .readdirSync(folder)
  .flatMap((file) => fs.readFileSync(path.join(folder, file), 'utf8').match(/(?<=@@map\(")\w+/g) ?? [])
