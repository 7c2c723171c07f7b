/** A kind that the platform does not know, declared as an area would: for tests that nobody keeps a list of kinds. */
import { appKind } from '@slipway/contract/kinds/application.kind.ts';
import { registerKind } from '@slipway/contract/kinds.ts';
import { declareKind, subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, type PipelineDefinition } from './definition.ts';

export const bargeKind = declareKind({
  kind: 'barge',
  label: 'Barge',
  plural: 'Barges',
  under: appKind,
  names: ['env', 'barge'],
  access: 'appMemberHidden',
  shownBy: ['barge'],
  path: '/app/{app}/{env}/barge/{barge}',
  pipelines: { CreateBarge: 'Create barge' },
});
registerKind(bargeKind);

export const bargeOf = (barge: string, id: string): Subject =>
  subjectOf(bargeKind, { app: 'berth', env: 'development', barge }, { team: 'cranes', ids: { barge: id } });

/** `gate` holds its only step. */
export const createBarge = (gate: () => Promise<void>): PipelineDefinition<object, object> =>
  definePipeline({
    type: 'CreateBarge',
    rights: { role: 'owner' },
    steps: [{ code: 'CheckNames', run: gate }],
    onFinished: (trx, run) => recordRunOutcome(trx, 'CreateBarge', run),
  });
