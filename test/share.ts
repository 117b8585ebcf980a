import { inject } from 'vitest'

/**
 * Many places get many odd values each. `npm test` takes every third case, beginning with another one at each place, so
 * that each case is tried somewhere. `npm run prove -- slow` takes all.
 * @param nth the number of the place
 */
export const shareOf = <Case>(cases: readonly Case[], nth: number): readonly Case[] =>
  inject('takesAll') ? cases : cases.filter((_case, index) => index % 3 === nth % 3)
