import { redirect } from 'next/navigation'
import { namedPath } from '#components/search/named-path.ts'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { may } from '#lib/access/rules/roles.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { onRefusal, UseCaseRefusal } from '#lib/platform/refusals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { namesPublicId } from '#lib/search/rules/read-query.ts'
import { search } from '#lib/search/search.ts'

/**
 * A link in a ticket opens the one subject or person that its id names. Any other text, which may be an IBAN or an
 * e-mail address, goes behind #, so no further log gets it.
 */
export async function GET(request: Request, { params }: { params: Promise<{ anything: string[] }> }) {
  const text = cleanText((await params).anything.map(decodePathPart).join('/'))
  const behindHash = `/go#${encodeURIComponent(text)}`
  if (!namesPublicId(text)) redirect(behindHash)
  const caller = await requirePage(undefined, new URL(request.url).pathname)
  // A route has no page to say so.
  if (!may(caller.role, 'see-everything')) redirect('/go')
  // The page asks again and has the words of a refusal.
  const found = await search(caller, { text }).catch(onRefusal(UseCaseRefusal, () => null))
  redirect((found && namedPath(found)) ?? behindHash)
}
