/** Shape of service.yaml: its keys, their order, and the comments beside values. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { settingsFields, type ServiceSettings, type SettingsField } from '@slipway/contract/service/service-settings.ts';
import {
  newServiceSpec,
  outgoingTypes,
  regions,
  rolloutStrategies,
  type EnvVar,
  type SecretFileMount,
} from '@slipway/contract/service/service-spec.ts';

export const yamlHead = { apiVersion: 'slipway/v1', kind: 'Service' } as const;

/** A map of keys, a list of such maps, or `null` for a value. */
export type Shape = MapShape | readonly [Shape] | null;
export type MapShape = { readonly [key: string]: Shape };
export const isMap = (shape: Shape): shape is MapShape => shape !== null && !Array.isArray(shape);

const item = (...keys: string[]): readonly [Shape] => [Object.fromEntries(keys.map((key) => [key, null]))];
const shapeOf = (value: unknown): Shape => (isRecord(value) && !Array.isArray(value) ? mapOf(value) : null);
const mapOf = (value: object): MapShape => Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));

const spec = newServiceSpec('');
const envVars = item('name', 'source', 'value', 'secretGroup', 'secretKey');
const secretFileMounts = item('mountPath', 'secretGroup', 'includeAllKeys', 'fileFormat', 'secretKey');

/** Keys that may be changed, derived from a new service's settings, so new settings are included automatically. */
export const settingsShape: MapShape = {
  githubRepositoryName: null,
  active: null,
  spec: { ...mapOf(spec), template: { ...mapOf(spec.template), envVars, secretFileMounts } },
};
export const fileShape: Shape = {
  apiVersion: null,
  kind: null,
  metadata: { app: null, environment: null, name: null },
  ...settingsShape,
};

/** Returns only the keys of `shape`, in its order. The database stores keys in a different order. */
export const inShape = (value: unknown, shape: Shape): unknown => {
  if (shape === null || !isRecord(value)) return value;
  if (!isMap(shape)) return Array.isArray(value) ? value.map((one) => inShape(one, shape[0])) : value;
  const keys = Object.keys(shape).filter((key) => value[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, inShape(value[key], shape[key] ?? null)]));
};

/** Keeps only the fields that the variable's source uses. */
export const plainEnvVar = ({ name, source, value, secretGroup, secretKey }: EnvVar): EnvVar =>
  source === 'STATIC'
    ? { name, source, value: value ?? '' }
    : { name, source, ...(secretGroup === undefined ? {} : { secretGroup }), ...(secretKey === undefined ? {} : { secretKey }) };
export const plainMount = (mount: SecretFileMount): SecretFileMount => (mount.includeAllKeys ? { ...mount, secretKey: null } : mount);
export const plainSettings = (settings: ServiceSettings): ServiceSettings => {
  const { template } = settings.spec;
  const plain = { envVars: template.envVars.map(plainEnvVar), secretFileMounts: template.secretFileMounts.map(plainMount) };
  return inShape({ ...settings, spec: { ...settings.spec, template: { ...template, ...plain } } }, settingsShape) as ServiceSettings;
};

const units: Readonly<Record<NonNullable<SettingsField['unit']>, string>> = {
  m: 'thousandths of a CPU',
  MB: 'MB',
  ms: 'milliseconds',
  s: 'seconds',
  days: 'days without a request; null: never',
  '%': '% of the CPU',
  '/min': 'requests a minute; 0: any number',
};
const choices: Readonly<Record<string, readonly string[]>> = {
  'spec.region': regions,
  'spec.externalTraffic.type': ['NONE', 'DIRECT', 'API_PROXY'],
  'spec.externalTrafficAuthentication': ['AZURE_AUTH', 'BASIC_AUTH', 'NO_AUTH'],
  'spec.outgoingTraffic.type': outgoingTypes,
  'spec.template.replicaScaling.scalingType': ['STATIC', 'AUTO'],
  'spec.template.healthCheck.type': ['http', 'tcp', 'exec'],
  'spec.rollout.strategy': rolloutStrategies,
  'spec.imageUpdatePolicy.type': ['MANUAL', 'REGEX'],
};
/** Returns the comment beside a value. */
export const commentOf = (path: string): string | undefined => {
  const unit = settingsFields[path]?.unit;
  return unit ? units[unit] : choices[path]?.join(', ');
};
