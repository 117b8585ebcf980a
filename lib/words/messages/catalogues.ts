import type { Language } from '#lib/platform/rules/language.ts'
import { de } from './de.ts'
import { type Catalogue, en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

/** The catalogues hold the standard words of every language. */
export const catalogues = { en, de, es, fr, pt } as const satisfies Record<Language, Catalogue>
