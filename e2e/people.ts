import path from 'node:path'
import { dataDirVariable } from './database.ts'

/**
 * A demo person's sign-in is stored here for the tests that only look at pages, beside the installation to which it belongs.
 */
export const stateOf = (email: string) =>
  path.join(process.env[dataDirVariable] ?? '', 'signed-in', `${email}.json`)
