'use server'
import { action } from '#lib/auth/action.ts'
import { ResumeReplayForm, StartReplayForm, StopReplayForm } from '#lib/replay/replay-forms.ts'
import { resumeReplay } from '#lib/replay/resume-replay.ts'
import { startReplay } from '#lib/replay/start-replay.ts'
import { stopReplay } from '#lib/replay/stop-replay.ts'

export const start = action(StartReplayForm, 'replay-deliveries', startReplay)

export const stop = action(StopReplayForm, 'replay-deliveries', stopReplay)

export const resume = action(ResumeReplayForm, 'replay-deliveries', resumeReplay)
