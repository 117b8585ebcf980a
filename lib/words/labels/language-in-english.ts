import type { Language } from '#lib/platform/rules/language.ts'

const names = new Intl.DisplayNames('en', { type: 'language' })

/** A language in a sentence for staff: "Spanish". */
export const languageInEnglish = (language: Language): string => names.of(language) ?? language
