import 'server-only'
import type { Language } from '#lib/platform/rules/language.ts'
import { de } from './messages/de.ts'
import { type Catalogue, en } from './messages/en.ts'
import { es } from './messages/es.ts'
import { fr } from './messages/fr.ts'
import { pt } from './messages/pt.ts'

/** The standard words of every language. */
export const catalogues = { en, de, es, fr, pt } as const satisfies Record<Language, Catalogue>
