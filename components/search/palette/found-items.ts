import type { Found, FoundEndpoint, FoundPerson, FoundSubject, NearMiss } from '#lib/search/found.ts'

/** Something that a search found; `value` tells it from all other lines of the palette. */
export type FoundItem = { readonly value: string } & (
  | { readonly kind: 'subject'; readonly subject: FoundSubject }
  | { readonly kind: 'person'; readonly person: FoundPerson }
  | { readonly kind: 'endpoint'; readonly endpoint: FoundEndpoint }
  | { readonly kind: 'near'; readonly near: NearMiss }
)

/** Most that are listed of each kind; the list of what was found has them all. */
const [mostSubjects, mostPeople] = [6, 4]

/** In the order of the palette, of which Enter opens the first: whom a text names stands above what was found through them. */
export function foundItems({ exact, named, rows, people, endpoints, near }: Found): readonly FoundItem[] {
  const subjects = [...named, ...rows]
    .slice(0, mostSubjects)
    .map((subject) => ({ kind: 'subject', value: `subject ${subject.subjectId}`, subject }) as const)
  const persons = people
    .slice(0, mostPeople)
    .map((person) => ({ kind: 'person', value: `person ${person.userUuid}`, person }) as const)
  return [
    ...(exact === null ? [...persons, ...subjects] : [...subjects, ...persons]),
    ...endpoints.map(
      (endpoint) => ({ kind: 'endpoint', value: `endpoint ${endpoint.endpointUuid}`, endpoint }) as const,
    ),
    ...near.map((one) => ({ kind: 'near', value: `near ${one.value}`, near: one }) as const),
  ]
}
