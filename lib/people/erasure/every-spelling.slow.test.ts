import { it } from 'vitest'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { exportsEverySpelling, leavesNoSpelling } from '../../../test/spellings.ts'

// Every spelling of every value is in every place. `npm test` has a quarter of the places for each spelling.
const database = withPersonDatabase()

it('leaves no value of a person in any column of any table, however it is spelled', () =>
  leavesNoSpelling(database, 1))

it('exports every spelling with the person’s data', () => exportsEverySpelling(database, 1))
