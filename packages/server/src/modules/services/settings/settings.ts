/** Changes a service's settings: the data for the screen, the rules, and the change, planned or performed. */
import { type ServiceChange, settingsSections } from '@slipway/contract/pipeline/service-change.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { Transaction } from 'kysely';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import type { Revision } from '@slipway/contract/service/revision.ts';
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { ServiceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { settingsFieldOf, type ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import type { DB } from '#db/types.ts';
import { Problem } from '#kernel/problem.ts';
import { areReadableSettings, runtimeCapabilities } from '#modules/runtime/index.ts';
import { imageRepositoryOf } from '../image-repository.ts';
import { activePipeline, planned, requireIdle, type Pinned, type Prepare, type Prepared } from '../operation.ts';
import { restartImage } from './restart-image.ts';
import {
  askEngines,
  hasVaultProxy,
  imagePrefixOf,
  isApart,
  isOwnImage,
  rowErrors,
  throwFieldErrors,
  type EngineFindings,
  type RuleDeps,
} from './settings-rules.ts';
import { appliedBasePath, secretKeysOf, settingsOf } from './settings.sql.ts';
import { impactNotes, impactOf, impactWarnings } from './impact.ts';
import { serviceState } from './state.sql.ts';
import { serviceRow, type ServiceKey } from '../services.sql.ts';
import { recordServiceWrite, requireReady, requireService, startServicePipeline, type By, type ServiceDeps } from '../service-context.ts';

export interface SettingsDeps extends ServiceDeps, RuleDeps {}

const spotMeaning = 'Its instances are slowed down and ended before others when the machine gets short of processor time or memory.';

export const settingsView = async (deps: SettingsDeps, key: ServiceKey): Promise<ServiceSettingsView> => {
  const { db } = deps;
  const row = await requireService(db, key);
  const capabilities = await runtimeCapabilities(db);
  const pipelineId = (await activePipeline(db, key)) ?? (row.state === 'CREATING' ? row.creation_pipeline_id : null);
  const unreadable = areReadableSettings(row) ? undefined : 'SettingsUnreadable';
  const missing = row.state === 'ACTIVE' || row.state === 'CREATING' ? unreadable : 'ServiceNotCreated';
  return {
    ...settingsOf(row),
    settingsVersion: row.settings_version,
    secretGroups: [...(await secretKeysOf(db, key))].map(([name, keys]) => ({ name, keys })),
    imagePrefix: imagePrefixOf(deps, key, settingsOf(row).spec),
    appliedBasePath: appliedBasePath(row),
    engine: {
      limits: capabilities?.limits ?? 'observed',
      spot: capabilities?.spot === 'yields first' ? spotMeaning : null,
      hasVaultProxy,
      isNetworkIsolated: isApart(capabilities),
      insideHosts: [...(capabilities?.insideHosts ?? [])],
      warning: capabilities?.warning ?? null,
    },
    canEdit: missing ?? (pipelineId === null ? true : 'DeployPipelineAlreadyRunning'),
    pipelineId,
  };
};

/** Returns labels like `CPU, Memory`. Omits values and variable names: every signed-in user can read a revision's reason. */
export const labelsOf = (changes: readonly ServiceChange[]): string =>
  [
    ...new Set(
      changes.map(({ path, section }) =>
        section === 'environment' || section === 'volumes' ? settingsSections[section] : (settingsFieldOf(path)?.label ?? path),
      ),
    ),
  ].join(', ');

const mask = '•••';
/** Checks every string: commands, paths and patterns can contain a secret, too. */
export const masked = (path: string, value: unknown): unknown => {
  if (typeof value === 'string') return looksLikeSecret(path.slice(path.lastIndexOf('.') + 1), value) ? mask : value;
  if (Array.isArray(value)) return value.map((one) => masked(path, one));
  const text = isRecord(value) ? value['value'] : undefined;
  return isRecord(value) && typeof text === 'string' ? { ...value, value: masked(path, text) } : value;
};
/** Returns the changes for the activity log. Only the team reads it, but values that look like secrets are masked anyway. */
export const auditOf = (changes: readonly ServiceChange[], side: 'before' | 'after'): Record<string, unknown> =>
  Object.fromEntries(changes.map((change) => [change.path, masked(change.path, change[side])]));

export interface WantedSettings extends Pinned {
  readonly settings: ServiceSettings;
  /** Version of the edited settings. Defaults to the current version. */
  readonly version?: number | undefined;
  /** Groups that the service reads after the change attached them. Defaults to the groups that it reads now. */
  readonly secretGroups?: ReadonlyMap<string, readonly string[]>;
}

/** Finds the image of a restart in another repository. Returns an error at the image's field if the repository lacks it. */
const movedImage = async (
  deps: SettingsDeps,
  key: ServiceKey,
  wanted: ServiceSettings,
): Promise<{ errors?: FieldError[]; digest?: string }> => {
  const row = await serviceRow(deps.db, key);
  if (!row || imageRepositoryOf(wanted.spec) === imageRepositoryOf(settingsOf(row).spec)) return {};
  if (!isOwnImage(deps, key, wanted, settingsOf(row).spec)) return {};
  const { restarts } = impactOf(settingsOf(row), wanted, await serviceState(deps.db, key, row));
  if (!restarts) return {};
  const found = await restartImage(deps, row.id, restarts.id, wanted.spec);
  if (found.digest) return { digest: found.digest };
  const context = { label: 'Container image', image: found.image };
  return { errors: [{ field: 'spec.containerImageName', code: 'ContainerImageWrong', context }] };
};

/** Calls the engines first. The returned function runs in the transaction. */
export const prepareUpdate = async (deps: SettingsDeps, by: By, key: ServiceKey, wanted: WantedSettings): Promise<Prepare> => {
  const known = await requireService(deps.db, key);
  const found = await askEngines(deps, key, wanted.settings, settingsOf(known));
  const moved = found.errors.length > 0 ? {} : await movedImage(deps, key, wanted.settings);
  const findings = { ...found, errors: moved.errors ?? found.errors };
  return (trx) => prepared(deps, by, key, { ...wanted, digest: moved.digest, findings }, trx);
};

const prepared = async (
  deps: SettingsDeps,
  by: By,
  key: ServiceKey,
  {
    settings: after,
    version,
    secretGroups,
    isPinned,
    digest,
    findings,
  }: WantedSettings & { digest?: string | undefined; findings: EngineFindings },
  trx: Transaction<DB>,
): Promise<Prepared> => {
  const row = await requireReady(trx, key, false);
  await requireIdle(trx, key);
  if (version !== undefined && version !== row.settings_version) throw new Problem('SettingsChangedMeanwhile');
  throwFieldErrors(await rowErrors(trx, deps, key, { settings: after, service: row, secretGroups }), findings.errors);
  const before = settingsOf(row);
  const changes = serviceChanges(before, after);
  if (changes.length === 0) throw new Problem('NothingChanged');
  const state = await serviceState(trx, key, row);
  const impact = impactOf(before, after, state);
  const about = { key, links: deps.links, before, after, changes, state, impact };
  const capabilities = await runtimeCapabilities(trx);
  const labels = labelsOf(changes);
  const base = impact.restarts && (state.serving?.id === impact.restarts.id ? state.serving : state.startable);
  return {
    draft: {
      ...planned(deps.pipelines.update, impact),
      changes,
      consequences: impactNotes(about),
      warnings: [...impactWarnings(about, capabilities), ...findings.warnings] satisfies PlanNote[],
    },
    settings: after,
    ...(digest === undefined ? {} : { digest }),
    start: async (tx) => {
      const reason: Revision['reason'] = { type: 'SETTINGS', text: labels, commit: null, commitMessage: null };
      const pipelineId = await startServicePipeline(deps, tx, deps.pipelines.update, {
        input: {
          ...key,
          reason,
          before,
          after,
          ...(isPinned && digest ? { imageDigest: digest } : {}),
          found: { impact, settingsVersion: row.settings_version },
        },
        by,
        trigger: 'settings',
        facts: { settings: labels, ...(base ? { imageTag: base.imageTag } : {}) },
      });
      await recordServiceWrite(tx, key, by, {
        type: 'serviceUpdate',
        reason: 'Settings',
        message: `${by.displayName} changed the settings of ${key.service}: ${labels}`,
        pipelineId,
        before: auditOf(changes, 'before'),
        after: auditOf(changes, 'after'),
      });
      return pipelineId;
    },
  };
};
