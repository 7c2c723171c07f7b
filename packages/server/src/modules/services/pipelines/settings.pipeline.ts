/** Applies settings. Depending on their effects, makes a new revision, scales, updates the edge, starts, stops, or only saves. */
import type { SettingsImpact } from '../settings/impact.ts';
import { makeCredential } from './create.steps.ts';
import { giveRevisionUp, retireOld, retiresOld, shiftBack, shiftTraffic, startOldAgain, stopOld, stopsOld } from './rollout.steps.ts';
import { servicePipeline, type ServicePipeline, type StepRow } from './service-pipeline.ts';
import {
  configureEdge,
  makeRevision,
  restoreEdge,
  scaleBack,
  scaleInstances,
  startRevision,
  stopRevision,
  stopService,
} from './settings-apply.steps.ts';
import {
  findRestartImage,
  impactIn,
  lookAnew,
  restoreSettings,
  saveSettings,
  validateSettings,
  type SettingsEngines,
  type SettingsInput,
  type SettingsState,
} from './settings.steps.ts';

const table = (engines: SettingsEngines): StepRow<SettingsInput, SettingsState, SettingsImpact>[] => [
  { code: 'ValidateService', run: validateSettings(engines), undo: lookAnew },
  { code: 'ValidateContainerImage', when: restarts, run: findRestartImage(engines) },
  { code: 'ConfigureCredentials', when: ({ needsCredential }) => needsCredential, run: makeCredential(engines) },
  { code: 'UpdateService', run: saveSettings(engines), undo: restoreSettings(engines) },
  { code: 'CreateRevision', when: restarts, run: makeRevision(engines), undo: giveRevisionUp(engines) },
  { code: 'StopOldRevisions', when: stops, run: stopOld(engines), undo: startOldAgain(engines) },
  { code: 'StartInstances', when: starts, run: startRevision(engines), undo: stopRevision(engines) },
  { code: 'ScaleInstances', when: ({ scales }) => scales !== null, run: scaleInstances(engines), undo: scaleBack(engines) },
  { code: 'ConfigureExternalTraffic', when: ({ isEdge }) => isEdge, run: configureEdge(engines), undo: restoreEdge(engines) },
  { code: 'ShiftTraffic', when: starts, run: shiftTraffic(engines), undo: shiftBack(engines), isPointOfNoReturn: true },
  { code: 'RetireOldRevisions', when: retires, run: retireOld(engines) },
  { code: 'StopInstances', when: ({ isStop }) => isStop, run: stopService(engines), isPointOfNoReturn: true },
];

const restarts = (impact: SettingsImpact): boolean => impact.restarts !== null;
const starts = ({ rollout }: SettingsImpact): boolean => rollout !== null;
const stops = ({ rollout }: SettingsImpact): boolean => rollout !== null && stopsOld(rollout);
const retires = ({ rollout }: SettingsImpact): boolean => rollout !== null && retiresOld(rollout);

export type SettingsPipeline = ServicePipeline<SettingsInput, SettingsState, SettingsImpact>;

export const settingsPipeline = (engines: SettingsEngines, type: 'UpdateService' | 'Rollback'): SettingsPipeline =>
  servicePipeline({ type, steps: table(engines), impactIn: impactIn(engines) });
