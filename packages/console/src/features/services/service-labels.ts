/** Labels for services and revisions: health, reason and settings. */
import type { Revision } from '@slipway/contract/service/revision.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { revisionNumber } from '#entities/pipeline/pipeline-title.ts';
import { healthLook, revisionLook, type StatusLook } from '#entities/status.ts';

const making: Readonly<Record<Exclude<Service['state'], 'ACTIVE'>, StatusLook>> = {
  CREATING: { tone: 'run', word: 'Being created' },
  NOT_CREATED: { tone: 'bad', word: 'Not created' },
  DELETING: { tone: 'run', word: 'Being deleted' },
};

/** Shows health only. The waterline shows running pipelines. */
export const serviceLook = ({ state, active, status }: Service): StatusLook => {
  if (state !== 'ACTIVE') return making[state];
  return active ? revisionLook[status.health] : healthLook.INACTIVE;
};

/** `isTaking`: the revision's pipeline runs and the revision does not serve yet. */
export const revisionStatusLook = (revision: Pick<Revision, 'status' | 'enabled' | 'isServing'>, isTaking = false): StatusLook => {
  const { status, enabled } = revision;
  if (isTaking) return { tone: 'run', word: 'Taking over' };
  if (status === 'DELETED') return revisionLook.DELETED;
  if (!enabled) return status === 'FAILING' ? { tone: 'bad', word: 'Failed' } : { tone: 'off', word: 'Disabled' };
  return revisionLook[status];
};

/** A name that this version of the console does not know is shown unchanged. */
const labelOf = (labels: Readonly<Record<string, string>>, name: string): string => labels[name] ?? name;

const reasons: Readonly<Record<Revision['reason']['type'], string>> = {
  DEPLOY: 'Deploy',
  PUSH: 'Push',
  IMAGE: 'Image pushed',
  COPY: 'Copy',
  SETTINGS: 'Settings change',
  ROLLBACK: 'Rollback',
  QUICKSTART: 'Quickstart',
};
export const reasonName = (type: string): string => labelOf(reasons, type);
/** "Push “Snap arrivals to the tide window”", "Rollback to 12: timeouts towards tide-sync". */
export const formatReason = ({ type, text, from, commitMessage }: Revision['reason']): string => {
  if (type === 'ROLLBACK') return `Rollback${from ? ` to ${revisionNumber(from)}` : ''}${text ? `: ${text}` : ''}`;
  const said = commitMessage?.split('\n')[0] ?? text;
  return said ? `${reasons[type]} “${said}”` : reasons[type];
};

export const rolloutNames: Readonly<Record<ServiceSpec['rollout']['strategy'], string>> = {
  RED_BLACK: 'Red/black',
  RECREATE: 'Recreate',
  ROLLING_UPDATE: 'Rolling update',
};

export const replicaLabel = ({ template: { replicaScaling } }: ServiceSpec): string => {
  const { scalingType, count, minReplicas, maxReplicas, cpuUtilization } = replicaScaling;
  return scalingType === 'STATIC' ? `${count}, fixed` : `${minReplicas} to ${maxReplicas}, at ${cpuUtilization} % CPU`;
};

export const healthCheckLabel = ({ template: { healthCheck } }: ServiceSpec): string => {
  if (!healthCheck.enabled) return 'None';
  if (healthCheck.type === 'http') return `GET :${healthCheck.http.port}${healthCheck.http.path}`;
  return healthCheck.type === 'tcp' ? `TCP :${healthCheck.tcp.port}` : healthCheck.exec.command.join(' ');
};

const signIns: Readonly<Record<ServiceSpec['externalTrafficAuthentication'], string>> = {
  AZURE_AUTH: 'Company directory',
  BASIC_AUTH: 'Basic',
  NO_AUTH: 'None',
};
export const trafficLabel = ({
  exposedPort,
  externalTraffic,
  externalTrafficAuthentication,
}: ServiceSpec): { port: string; signIn: string } => ({
  port: exposedPort === null || externalTraffic.type === 'NONE' ? 'No traffic from outside' : String(exposedPort),
  signIn: signIns[externalTrafficAuthentication],
});
