import { expect, it } from 'vitest'
import { languages } from '#lib/platform/rules/language.ts'
import { languageInEnglish } from './formats.ts'

it('calls each language as English does', () => {
  expect(languages.map(languageInEnglish)).toEqual(['English', 'German', 'Spanish', 'French', 'Portuguese'])
})
