import path from 'node:path'
import { dataDirVariable } from './database.ts'

/** Where the sign-in of a demo person is kept for the tests that only look at pages: beside what it is a sign-in to. */
export const stateOf = (email: string) =>
  path.join(process.env[dataDirVariable] ?? '', 'signed-in', `${email}.json`)
