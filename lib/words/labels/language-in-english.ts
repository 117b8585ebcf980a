import type { Language } from '#lib/platform/rules/language.ts'

const names = new Intl.DisplayNames('en', { type: 'language' })

/** The name of a language for a sentence to staff looks like "Spanish". */
export const languageInEnglish = (language: Language): string => names.of(language) ?? language
