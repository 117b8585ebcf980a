import 'server-only'

/** Where private persons can sign up from, for the form. Names in English, sorted. Throws `Refused`. */
export async function listCountries(): Promise<{ readonly code: string; readonly name: string }[]> {
  return []
}
