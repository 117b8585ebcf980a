import { noSuchPageWords } from '#components/ui/shared/no-such-page.tsx'
import { NoSuchPageLater } from '#components/ui/shared/refusals-later.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { findSession, readLanguage } from '#lib/identity/sessions/read-request.ts'
import { customerWords } from '#lib/words/sentences.ts'

export default async function NotFoundPage() {
  const [language, caller] = await Promise.all([readLanguage(), findSession().catch(whoeverItIs)])
  const isStaff = caller !== null && may(caller.role, 'see-everything')
  const words = noSuchPageWords(customerWords(language))
  return <NoSuchPageLater words={words} language={language} isStaff={isStaff} />
}

/** Without a database there is no session, but the page does not exist in any case. */
const whoeverItIs = () => null
