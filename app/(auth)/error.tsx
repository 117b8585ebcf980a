'use client'

import { UnexpectedError } from '#components/unexpected-error.tsx'

export default UnexpectedError
