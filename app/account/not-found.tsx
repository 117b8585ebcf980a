import { SearchX } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { NotFound } from '#components/ui/not-found.tsx'
import { readWords } from '../read-words.ts'

export default async function AccountNotFound() {
  const words = await readWords()
  return (
    <NotFound
      icon={SearchX}
      heading={words('account.notFound')}
      title={words('account.notFoundTitle')}
      action={<ButtonLink href="/account">{words('account.title')}</ButtonLink>}
    >
      {words('account.notFoundNext')}
    </NotFound>
  )
}
