/** Maps a health check to probes. Kubernetes counts in whole seconds, so shorter values are rounded up to one. */
import type { V1Probe } from '@kubernetes/client-node';
import type { HealthCheck, RevisionSpec } from '#ports/runtime.ts';

/** How long a program may take to become healthy after the initial delay, before it is restarted. */
const STARTUP_SECONDS = 120;
/** A program that was healthy is restarted after this many times the health check's failure threshold. */
const LIVENESS_FACTOR = 3;

const whole = (seconds: number): number => Math.max(1, Math.ceil(seconds));

/** Like the embedded runtime, asks at the instance's own port, whichever port the check names. */
const handlerOf = ({ type, http, tcp, exec }: HealthCheck, port: number | undefined): V1Probe | undefined => {
  if (type === 'http' && http) return { httpGet: { port: port ?? http.port, path: encodeURI(decodeSafely(http.path)), scheme: 'HTTP' } };
  if (type === 'tcp' && tcp) return { tcpSocket: { port: port ?? tcp.port } };
  return type === 'exec' && exec ? { exec: { command: [...exec.command] } } : undefined;
};
/** Paths may contain escapes already. */
const decodeSafely = (path: string): string => {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
};

/** A service with a port but without a health check counts as ready when its port accepts connections. */
const portCheck = (port: number): HealthCheck => ({
  type: 'tcp',
  tcp: { port },
  initialDelaySeconds: 0,
  periodSeconds: 1,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
});

export interface Probes {
  readonly startupProbe?: V1Probe;
  readonly readinessProbe?: V1Probe;
  readonly livenessProbe?: V1Probe;
}

export function probesOf({ exposedPort, health }: Pick<RevisionSpec, 'exposedPort' | 'health'>): Probes {
  const check = health ?? (exposedPort === undefined ? undefined : portCheck(exposedPort));
  const handler = check && handlerOf(check, exposedPort);
  if (!check || !handler) return {};
  const timing = { periodSeconds: whole(check.periodSeconds), timeoutSeconds: whole(check.timeoutSeconds) };
  // Kubernetes accepts a success threshold only for readiness.
  return {
    startupProbe: {
      ...handler,
      ...timing,
      initialDelaySeconds: Math.ceil(check.initialDelaySeconds),
      successThreshold: 1,
      failureThreshold: Math.max(1, Math.ceil(STARTUP_SECONDS / timing.periodSeconds)),
    },
    readinessProbe: { ...handler, ...timing, successThreshold: check.successThreshold, failureThreshold: check.failureThreshold },
    livenessProbe: { ...handler, ...timing, successThreshold: 1, failureThreshold: check.failureThreshold * LIVENESS_FACTOR },
  };
}
