/** Reads failed probes out of the kubelet's events, which describe them only as text. */
import type { ProbeFailure } from '@slipway/contract/service/instance-event.ts';
import { containerOf, type Pod } from './pod.ts';

export interface FailedProbe {
  readonly probe: 'Startup' | 'Readiness' | 'Liveness';
  readonly failure: ProbeFailure;
}

const MOST_DETAIL = 200;

/** Returns undefined for messages about something else. */
export function probeFailureOf(message: string, pod: Pod): FailedProbe | undefined {
  const [, probe, said = ''] = /^(Startup|Readiness|Liveness) probe (?:failed|errored)[^:]*: (.*)$/s.exec(message) ?? [];
  if (probe !== 'Startup' && probe !== 'Readiness' && probe !== 'Liveness') return undefined;
  return { probe, failure: failureOf(said, pod) };
}

function failureOf(said: string, pod: Pod): ProbeFailure {
  const { readinessProbe } = containerOf(pod) ?? {};
  const timeoutSeconds = readinessProbe?.timeoutSeconds ?? 1;
  const request = readinessProbe?.httpGet ? `GET ${readinessProbe.httpGet.path ?? '/'}` : undefined;
  const [, status] = /HTTP probe failed with statuscode: (\d+)/.exec(said) ?? [];
  if (status !== undefined) return { probe: 'Status', status: Number(status), ...(request === undefined ? {} : { request }) };
  if (said.includes('connection refused')) return { probe: 'NothingListens' };
  if (readinessProbe?.exec)
    return /timed out|deadline exceeded/.test(said) ? { probe: 'CommandTimeout', timeoutSeconds } : { probe: 'CommandFailed' };
  if (/Client\.Timeout|deadline exceeded/.test(said))
    return { probe: 'NoAnswer', timeoutSeconds, ...(request === undefined ? {} : { request }) };
  if (said.includes('i/o timeout')) return { probe: 'ConnectionTimeout' };
  return { probe: 'ConnectionFailed', detail: said.slice(0, MOST_DETAIL) };
}
