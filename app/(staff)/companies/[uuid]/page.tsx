import { type PersonPageProps, personMetadata, personPage } from '../../users/person-page.tsx'

export const generateMetadata = (props: PersonPageProps) => personMetadata(props, true)

export default function CompanyPage(props: PersonPageProps) {
  return personPage(props, true)
}
