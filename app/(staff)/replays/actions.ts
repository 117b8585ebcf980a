'use server'
import { action } from '#lib/actions/action.ts'
import { allowResultsExport } from '#lib/replay/export-results.ts'
import {
  ExportResultsSchema,
  ResumeReplaySchema,
  StartReplaySchema,
  StopReplaySchema,
} from '#lib/replay/replay-forms.ts'
import { resumeReplay } from '#lib/replay/resume-replay.ts'
import { startReplay } from '#lib/replay/start-replay.ts'
import { stopReplay } from '#lib/replay/stop-replay.ts'

export const startReplayAction = action(StartReplaySchema, 'replay-deliveries', startReplay)

export const stopReplayAction = action(StopReplaySchema, 'replay-deliveries', stopReplay)

export const resumeReplayAction = action(ResumeReplaySchema, 'replay-deliveries', resumeReplay)

export const allowResultsExportAction = action(ExportResultsSchema, 'replay-deliveries', allowResultsExport)
