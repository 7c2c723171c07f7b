/**
 * Rules of a service's settings that involve several fields (core §5): pure, for the form in the browser and for the server. Each returns
 * errors at the affected fields.
 */
import type { FieldError } from '../kernel/errors.ts';
import { settingsFieldOf, type ServiceSettings } from './service-settings.ts';
import { mountFormats } from './service-spec.ts';

/** Facts that the rules need in addition to the settings. */
export interface SettingsFacts {
  /** `{host}/{app}/`: only images of the app's own project are allowed. */
  readonly imagePrefix: string;
  /** Keys by secret group, for the groups that the service reads. Undefined if not known (yet). */
  readonly secretGroups: ReadonlyMap<string, readonly string[]> | undefined;
  /** The last applied base path of an API proxy. Null before the first. */
  readonly appliedBasePath: string | null;
  readonly hasVaultProxy: boolean;
  /** True if instances are isolated from each other by network. Otherwise callers can bypass the edge. */
  readonly isNetworkIsolated: boolean;
  /** Private hosts that an administrator has allowed for services. */
  readonly insideHosts: readonly string[];
}

const error = (field: string, code: string, context: Record<string, string> = {}): FieldError => ({
  field,
  code,
  context: { label: settingsFieldOf(field)?.label ?? field, ...context },
});
/** Normalizes slashes: `/etc/tls/` and `/etc//tls` become `/etc/tls`. */
export const plainMountPath = (path: string): string => path.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');

/** Mount points of the kernel's and the sandbox's own file systems. */
const reservedPlaces = ['/proc', '/dev', '/sys', '/tmp'];
/** A volume here would hide the loader, libraries, programs or name resolution. Subdirectories are allowed. */
const systemPlaces = new Set([
  ...['bin', 'lib', 'lib32', 'lib64', 'libx32', 'sbin'].flatMap((name) => [`/${name}`, `/usr/${name}`]),
  ...['group', 'hosts', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'ld.so.preload', 'nsswitch.conf', 'passwd', 'resolv.conf'].map(
    (name) => `/etc/${name}`,
  ),
  '/etc',
  '/usr',
]);
const mountPathCode = (path: string): string | undefined => {
  const plain = plainMountPath(path);
  // Their target depends on the content of the image, so such a path is ambiguous.
  if (plain.split('/').some((part) => part === '.' || part === '..')) return 'NotAPath';
  const isReserved = plain === '/' || reservedPlaces.some((place) => plain === place || plain.startsWith(`${place}/`));
  if (isReserved) return 'ReservedMountPath';
  return systemPlaces.has(plain) ? 'SystemMountPath' : undefined;
};

const scalingErrors = ({ spec }: ServiceSettings): FieldError[] => {
  const path = 'spec.template.replicaScaling';
  const { scalingType, count, minReplicas, maxReplicas } = spec.template.replicaScaling;
  if (scalingType !== 'AUTO') return [];
  return [
    // Initial number of instances of a new revision, before there are CPU measurements.
    ...(count > maxReplicas ? [error(`${path}.count`, 'ReplicasAboveMaximum')] : []),
    ...(minReplicas > maxReplicas ? [error(`${path}.minReplicas`, 'MinReplicasAboveMaximum')] : []),
  ];
};

const envErrors = ({ spec }: ServiceSettings, { secretGroups }: SettingsFacts): FieldError[] => {
  const seen = new Set<string>();
  return spec.template.envVars.flatMap(({ name, source, secretGroup = '', secretKey = '' }, index) => {
    const path = `spec.template.envVars.${index}`;
    const isTwice = seen.has(name);
    seen.add(name);
    const found = isTwice ? [error(`${path}.name`, 'DuplicateEnvVar', { name })] : [];
    if (source !== 'SECRET_KEY') return found;
    if (secretKey === '') return [...found, error(`${path}.secretKey`, 'Required', { label: 'Secret key' })];
    if (secretGroups && !secretGroups.get(secretGroup)?.includes(secretKey))
      found.push(error(`${path}.secretKey`, 'SecretKeyNotReferenced'));
    return found;
  });
};

const mountErrors = ({ spec }: ServiceSettings, { secretGroups }: SettingsFacts): FieldError[] => {
  const paths = spec.template.secretFileMounts.map(({ mountPath }) => mountPath);
  return spec.template.secretFileMounts.flatMap((mount, index) => {
    const path = `spec.template.secretFileMounts.${index}`;
    const found: FieldError[] = [];
    const earlier = paths.slice(0, index);
    const code = mountPathCode(mount.mountPath);
    if (code) found.push(error(`${path}.mountPath`, code));
    if (earlier.includes(mount.mountPath)) found.push(error(`${path}.mountPath`, 'SameMountPath'));
    else if (earlier.some((other) => plainMountPath(other) === plainMountPath(mount.mountPath)))
      found.push(error(`${path}.mountPath`, 'DuplicateVolumePaths'));
    if (!mountFormats.some((known) => known === mount.fileFormat.toLowerCase()))
      found.push(error(`${path}.fileFormat`, 'SecretFileFormatUnknown'));
    if (!mount.includeAllKeys && !mount.secretKey) found.push(error(`${path}.secretKey`, 'Required', { label: 'Secret key' }));
    const keys = secretGroups?.get(mount.secretGroup);
    if (secretGroups && (!keys || (!mount.includeAllKeys && mount.secretKey && !keys.includes(mount.secretKey))))
      found.push(error(`${path}.secretGroup`, 'SecretVolumeNotReferenced'));
    return found;
  });
};

const signIn = 'spec.externalTrafficAuthentication';
const networkErrors = ({ spec }: ServiceSettings, { appliedBasePath }: SettingsFacts): FieldError[] => {
  const { type, basePath } = spec.externalTraffic;
  if (type === 'NONE') return [];
  const found: FieldError[] = [];
  if (spec.exposedPort === null)
    found.push(error('spec.externalTraffic.type', 'ExternalTrafficNeedsInternal'), error('spec.exposedPort', 'Required'));
  if (type !== 'API_PROXY') return found;
  if (spec.externalTrafficAuthentication !== 'AZURE_AUTH') found.push(error(signIn, 'ApiProxyNeedsJwt'));
  if (appliedBasePath !== null && basePath !== appliedBasePath) found.push(error('spec.externalTraffic.basePath', 'BasePathFixed'));
  return found;
};

const signInErrors = ({ spec }: ServiceSettings, { isNetworkIsolated }: SettingsFacts): FieldError[] =>
  spec.externalTraffic.type !== 'NONE' && spec.externalTrafficAuthentication !== 'NO_AUTH' && !isNetworkIsolated
    ? [error(signIn, 'SignInNeedsNetworks')]
    : [];

/** Loopback, link-local and private networks. Host names that resolve to them are checked on each call. */
const privateAddress =
  /^(0|10|127|169\.254|172\.(1[6-9]|2[0-9]|3[01])|192\.168|100\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])|198\.1[89]|2(2[4-9]|[345][0-9]))\./;
const isPrivateHost = (name: string): boolean => /(^|\.)localhost$/.test(name) || (/^[0-9.]+$/.test(name) && privateAddress.test(name));
const hostName = (host: string): string => host.split(':')[0] ?? '';

const outgoingErrors = ({ spec }: ServiceSettings, { insideHosts }: SettingsFacts): FieldError[] => {
  const { hosts, type } = spec.outgoingTraffic;
  const path = 'spec.outgoingTraffic.hosts';
  if (type !== 'LISTED') return [];
  if (hosts.length === 0) return [error(path, 'Required')];
  const allowed = new Set(insideHosts.map(hostName));
  return hosts.flatMap((host, index) =>
    isPrivateHost(hostName(host)) && !allowed.has(hostName(host))
      ? [error(`${path}.${index}`, 'PrivateHost', { label: settingsFieldOf(path)?.label ?? path, host })]
      : [],
  );
};

const healthErrors = ({ spec }: ServiceSettings): FieldError[] => {
  const { enabled, type, exec } = spec.template.healthCheck;
  const isEmpty = !exec.command.some((word) => word.trim() !== '');
  return enabled && type === 'exec' && isEmpty ? [error('spec.template.healthCheck.exec.command', 'Required')] : [];
};

const isPattern = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
};
const policyErrors = ({ spec }: ServiceSettings): FieldError[] => {
  const path = 'spec.imageUpdatePolicy.regex.pattern';
  const { type, regex } = spec.imageUpdatePolicy;
  if (type !== 'REGEX') return [];
  if (regex.pattern === '') return [error(path, 'Required')];
  return isPattern(regex.pattern) ? [] : [error(path, 'NotARegularExpression')];
};

/** True for a repository below the prefix, without tag, digest or path traversal. */
export const isImageName = (name: string, imagePrefix: string): boolean =>
  name.startsWith(imagePrefix) &&
  /^[a-z0-9]+([._-]{1,2}[a-z0-9]+)*(\/[a-z0-9]+([._-]{1,2}[a-z0-9]+)*)*$/.test(name.slice(imagePrefix.length));
const imageErrors = ({ spec }: ServiceSettings, { imagePrefix }: SettingsFacts): FieldError[] =>
  isImageName(spec.containerImageName, imagePrefix) ? [] : [error('spec.containerImageName', 'NotARegistryPath')];

const engineErrors = ({ spec }: ServiceSettings, { hasVaultProxy }: SettingsFacts): FieldError[] =>
  spec.template.vaultProxyEnabled && !hasVaultProxy ? [error('spec.template.vaultProxyEnabled', 'NotOnThisEngine')] : [];

/** Returns all violations in the order of the screen. Errors that a schema reports for a single field are not repeated. */
export const serviceSettingsErrors = (settings: ServiceSettings, facts: SettingsFacts): FieldError[] => [
  ...imageErrors(settings, facts),
  ...scalingErrors(settings),
  ...mountErrors(settings, facts),
  ...envErrors(settings, facts),
  ...policyErrors(settings),
  ...networkErrors(settings, facts),
  ...signInErrors(settings, facts),
  ...outgoingErrors(settings, facts),
  ...healthErrors(settings),
  ...engineErrors(settings, facts),
];
