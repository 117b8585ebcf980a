/** The page of a person or, among companies, of a company. Either address leads on to the other where it is the wrong one. */
export const personPath = (userUuid: string, isCompany: boolean): string =>
  `/${isCompany ? 'companies' : 'users'}/${encodeURIComponent(userUuid)}`
