import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import { SentenceList } from '#components/operations/settings/sentence-list.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { listSentences } from '#lib/operations/settings/sentences.ts'
import { type Language, languageNames, languages, parseLanguage } from '#lib/platform/rules/language.ts'
import { restoreSentenceAction, saveSentenceAction, showSentenceAction } from '../actions.ts'

export const metadata: Metadata = { title: 'Customer messages' }

interface Props {
  readonly searchParams: Promise<{ readonly language?: string | string[] }>
}

/** Customers read these texts for each step and reason, in each language. Admins can change them. */
export default async function WordsPage({ searchParams }: Props) {
  const caller = await requirePage('manage-settings', '/settings/words')
  const { language: asked } = await searchParams
  const language = parseLanguage(typeof asked === 'string' ? asked : null) ?? languages[0]
  return (
    <>
      <Link
        href="/settings"
        className="mb-3 inline-flex items-center gap-1.5 rounded-md text-muted text-sm hover:text-text"
      >
        <ArrowLeft className="size-4" aria-hidden />
        Settings
      </Link>
      <PageHeader title="Customer messages">
        What customers read about each status, in their language. Holds other than verification share one
        message, so that it reveals no check. Staff see the same messages in “Copy reply” and “What can I tell
        the customer?”.
      </PageHeader>
      <Languages chosen={language} />
      <SentenceList
        key={language}
        language={language}
        sentences={await listSentences(caller, language)}
        actions={{ show: showSentenceAction, save: saveSentenceAction, restore: restoreSentenceAction }}
      />
    </>
  )
}

function Languages({ chosen }: { readonly chosen: Language }) {
  return (
    <div className="my-5">
      <Segmented
        name="Language"
        segments={languages.map((language) => ({
          key: language,
          label: languageNames[language],
          lang: language,
          href: `/settings/words?language=${language}`,
          chosen: language === chosen,
        }))}
      />
    </div>
  )
}
