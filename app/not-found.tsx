import { noSuchPageWords } from '#components/no-such-page-words.ts'
import { NoSuchPageLater } from '#components/refusals-later.tsx'
import { readLanguage } from '#lib/auth/read-language.ts'
import { findSession } from '#lib/auth/require-session.ts'
import { may } from '#lib/domain/access/roles.ts'
import { customerWords } from '#lib/words/customer-words.ts'

export default async function NotFoundPage() {
  const [language, caller] = await Promise.all([readLanguage(), findSession().catch(whoeverItIs)])
  const isStaff = caller !== null && may(caller.role, 'see-everything')
  const words = noSuchPageWords(customerWords(language))
  return <NoSuchPageLater words={words} language={language} isStaff={isStaff} />
}

/** Without a database there is no session; that there is no such page is true all the same. */
const whoeverItIs = () => null
