import { type PersonPageProps, personMetadata, personPage } from '../person-page.tsx'

export const generateMetadata = (props: PersonPageProps) => personMetadata(props, false)

export default function PersonPage(props: PersonPageProps) {
  return personPage(props, false)
}
