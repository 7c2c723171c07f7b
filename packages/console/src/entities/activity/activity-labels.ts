/** Labels of the activity log: operation, origin and outcome. */
import type { Activity } from '@slipway/contract/activity.ts';
import { kindOf } from '@slipway/contract/kinds.ts';
import { pipelineTypeLabel } from '@slipway/contract/pipeline/pipeline-types.ts';
import type { SubjectView } from '@slipway/contract/subject-view.ts';
import type { StatusLook } from '#entities/status.ts';

/** `secretGroupCreate` → "Secret group create". */
const asWords = (id: string): string => {
  const words = id.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
export const activityTypeName = (type: string): string => pipelineTypeLabel(type) ?? asWords(type);
/** Returns for example "Secret group keys". */
export const subjectLabel = ({ kind, name }: Pick<SubjectView, 'kind' | 'name'>): string =>
  `${kindOf(kind)?.label ?? asWords(kind)} ${name}`;
/** Splits words and fixes their case: `COMPLETED`, `Updated`. */
export const activityReasonName = (reason: string): string =>
  /^[A-Z_]+$/.test(reason) ? asWords(reason.replaceAll('_', ' ')) : asWords(reason);

export const originNames: Readonly<Record<Activity['origin'], string>> = {
  console: 'Console',
  token: 'API token',
  pipeline: 'Pipeline',
  platform: 'Platform',
};
export const outcomeLook: Readonly<Record<Activity['outcome'], StatusLook>> = {
  DONE: { tone: 'ok', word: 'Done' },
  STARTED: { tone: 'run', word: 'Pipeline started' },
  FAILED: { tone: 'bad', word: 'Failed' },
  REFUSED: { tone: 'warn', word: 'Refused' },
};
