'use client'

import { useEffect, useState } from 'react'
import { calmAnswers } from './calm-answers.ts'

/** `calmAnswers` of this tab. @param again puts the question again; the first that was given is kept */
export function useCalmAnswers(again: () => void) {
  const [{ calmly, onVisible, stop }] = useState(() => calmAnswers(again, isHidden))
  useEffect(() => {
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      stop()
    }
  }, [onVisible, stop])
  return calmly
}

const isHidden = () => document.visibilityState === 'hidden'
