import 'server-only'
import type { Language } from '#lib/domain/text/language.ts'
import { de } from '#lib/labels/messages/de.ts'
import { type Catalogue, en } from '#lib/labels/messages/en.ts'
import { es } from '#lib/labels/messages/es.ts'
import { fr } from '#lib/labels/messages/fr.ts'
import { pt } from '#lib/labels/messages/pt.ts'

/** The standard words of every language. */
export const catalogues = { en, de, es, fr, pt } as const satisfies Record<Language, Catalogue>
