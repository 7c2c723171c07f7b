/** Labels of settings values, shared by the form and the review. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import type { EnvVar, SecretFileMount } from '@slipway/contract/service/service-spec.ts';

/** Labels of constants, by path of the setting. */
export const choiceLabels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'spec.region': { WESTEUROPE: 'West Europe', NORTHEUROPE: 'North Europe', CENTRALUS: 'Central US' },
  'spec.template.replicaScaling.scalingType': { STATIC: 'Fixed', AUTO: 'By CPU load' },
  'spec.rollout.strategy': { ROLLING_UPDATE: 'Rolling update', RED_BLACK: 'Red/black', RECREATE: 'Recreate' },
  'spec.imageUpdatePolicy.type': { MANUAL: 'Manual', REGEX: 'By tag pattern' },
  'spec.externalTraffic.type': { NONE: 'None', DIRECT: 'Direct', API_PROXY: 'API proxy' },
  'spec.externalTrafficAuthentication': { AZURE_AUTH: 'JWT', BASIC_AUTH: 'Basic', NO_AUTH: 'None' },
  'spec.outgoingTraffic.type': { NONE: 'None', LISTED: 'Listed hosts', ANY: 'Any public address' },
  'spec.template.healthCheck.type': { http: 'HTTP', tcp: 'TCP', exec: 'Command' },
};
export const formatLabels: Readonly<Record<string, string>> = {
  file: 'a file for each key',
  env: 'one .env file',
  bash: 'one Bash file',
  powershell: 'one PowerShell file',
  json: 'one JSON file',
  yaml: 'one YAML file',
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const variableLabel = ({ source, value, secretGroup, secretKey }: Partial<EnvVar>): string =>
  source === 'SECRET_KEY' ? `key ${secretKey} of the secret group ${secretGroup}` : (value ?? '');
const mountLabel = ({ secretGroup, includeAllKeys, fileFormat = '', secretKey }: Partial<SecretFileMount>): string => {
  const what = includeAllKeys ? `all keys of ${secretGroup}` : `key ${secretKey} of ${secretGroup}`;
  return `${what}, as ${formatLabels[fileFormat.toLowerCase()] ?? fileFormat}`;
};

/** Formats one side of a change with its unit. Returns null if there is no value. */
export const settingLabel = ({ path, unit }: Pick<ServiceChange, 'path' | 'unit'>, value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return unit === '/min' ? `${value} a minute` : `${value}${unit ? ` ${unit}` : ''}`;
  // An empty string counts as not set.
  if (typeof value === 'string') return value === '' ? null : (choiceLabels[path]?.[value] ?? value);
  if (Array.isArray(value)) return value.join(path.endsWith('.command') ? ' ' : '\n');
  if (!isObject(value)) return JSON.stringify(value);
  return 'source' in value ? variableLabel(value) : mountLabel(value);
};

/** Like `settingLabel`, but describes a variable's value that looks like a secret instead of showing it. */
export const maskedLabel = (change: Pick<ServiceChange, 'path' | 'unit' | 'label'>, value: unknown): string | null => {
  const text = settingLabel(change, value);
  const isStatic = isObject(value) && value['source'] === 'STATIC';
  const look = text !== null && isStatic ? looksLikeSecret(change.label, text) : undefined;
  return look ? `•••••••• (looks like ${look.kind})` : text;
};
