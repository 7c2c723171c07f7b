/** The sentences of instance events, used by the server's diagnosis, its API and the console. */
import { fill, messageOf } from '../kernel/errors.ts';
import type { InstanceEventCode, InstanceEventContext, ProbeFailure } from './instance-event.ts';
import type { InstanceEvent } from './revision.ts';

/** `message` is the sentence of an event without a context. */
type Written = Pick<InstanceEvent, 'reason' | 'context'> & { readonly message?: string };

const probeTexts: Readonly<Record<ProbeFailure['probe'], string>> = {
  NoPort: 'the service has no port',
  ConnectionTimeout: 'the connection timed out',
  NothingListens: 'nothing listens on its port',
  ConnectionFailed: 'the connection failed ({detail})',
  NoAnswer: '{request} was not answered within {timeoutSeconds} s',
  Status: '{request} returned {status}',
  CommandTimeout: 'the command did not end within {timeoutSeconds} s',
  CommandFailed: 'the command ended with exit code {exitCode}',
  Other: '{detail}',
};
const platformDisk = 'the disk of the platform is full';
const killed = ', so it was killed';
const exitPart = ({ signal }: InstanceEventContext): string => (signal === undefined ? 'exit code {exitCode}' : '{signal}');
const listening = (set: string) => (context: InstanceEventContext) =>
  `The container listens on ${String(context['listens']).includes(',') ? 'ports' : 'port'} {listens}, ${set}: ` +
  'it must listen on the port that the environment variable PORT names ({port})';

const autoScaled = ({ minReplicas }: InstanceEventContext): string =>
  `{revision} scales from {from} to {to} instances: ${
    minReplicas === undefined
      ? 'its instances use {cpuPercent} % of their CPU on average, {targetPercent} % is the target'
      : 'its settings ask for {minReplicas} to {maxReplicas}'
  }`;

type Template = string | ((context: InstanceEventContext) => string);
/** The cause only: without run time, next attempt and full stop. */
const templates: Readonly<Record<InstanceEventCode, Template>> = {
  Scheduled: 'Waiting to start',
  Started: ({ port }) => (port === undefined ? 'Started' : 'Started; its port (PORT) is {port}'),
  Healthy: 'Healthy after {afterMs}',
  Scaled: ({ to }) => `From {from} to {to} ${to === 1 ? 'instance' : 'instances'}`,
  ScaledUp: autoScaled,
  ScaledDown: autoScaled,
  ScaledDownIdle: ({ days }) => `Scaled down to no instances: no request for {days} ${days === 1 ? 'day' : 'days'}`,
  Resynced: ({ instances }) =>
    instances === 'kept'
      ? '{replica} drives the runtime from here on: the instances run on, and what happened in between follows as far as it was kept'
      : '{replica} drives the runtime from here on: the instances start again, and what happened in between was not seen',
  ChangedOutside: 'Somebody changed this outside of Slipway ({fields}), and Slipway put it back',
  Stopped: 'Stopped within {tookMs}',
  Killing: 'It did not end within {graceSeconds} s of being asked to; it is killed',
  FilesNotMounted: 'Secret files cannot be shown to instances on this machine: it offers no namespaces',
  LogLost: `Lines of its log are lost: ${platformDisk}`,
  MetricsScrapeFailed: 'Its metrics cannot be read: {detail}',
  SecretUnreadable: messageOf('SecretUnreadable'),
  SpecUnreadable: 'The stored settings of this revision cannot be read ({detail}): it stays as it is until they can',
  NotHealthyYet: 'Not healthy yet: {probe}',
  ProbeFailed: 'The health check failed {failures} times: {probe}',
  WrongPort: listening('but the service is set to port {setTo}'),
  IgnoresPort: listening('which the service is set to, but the embedded runtime gives every instance a port of its own'),
  Exited: ({ signal }) => (signal === undefined ? 'It ended with exit code {exitCode}' : 'It was ended by {signal}'),
  DiskFull: (context) => {
    if (context['ranMs'] !== undefined) return `Its disk was full, and it ended with ${exitPart(context)}`;
    const size = context['temporaryMegabytes'] === undefined ? '' : '; /tmp holds {temporaryMegabytes} MB';
    return `It cannot write any more: no space left on its disk${size}`;
  },
  OOMKilled: 'It was killed for using more than its {limitMegabytes} MB of memory',
  Unhealthy: `The health check failed {failures} times in a row ({probe})${killed}`,
  StartupTimeout: `It did not get healthy within {afterSeconds} s ({probe})${killed}`,
  PortTaken: `Another process answers on port {port}${killed}`,
  WatchFailed: `Its health could not be checked${killed}`,
  StartFailed: ({ obstacle }) => (obstacle === 'PlatformDisk' ? 'It could not be started: {why}' : '{why}'),
  MountRefused: ({ obstacle, path, place }) => {
    if (obstacle === 'Image') return 'Nothing can be mounted at {path}: the image has a file in its way, or a link that leads nowhere';
    return `Nothing can be mounted at {place}${path === place ? '' : ' ({path} leads there)'}: it belongs to the sandbox`;
  },
  WorkingDirectoryRefused: ({ path, place }) =>
    `The image begins at {path}${path === place ? '' : ', which leads to {place}'}: that belongs to the sandbox`,
  ImagePullFailed: 'The image could not be pulled: {detail}',
  RegistryUnavailable: 'The image could not be pulled: {detail}',
  PlatformDiskFull: `The image could not be pulled: ${platformDisk}`,
};
const isCode = (code: string): code is InstanceEventCode => Object.hasOwn(templates, code);
const isProbe = (probe: unknown): probe is ProbeFailure['probe'] => typeof probe === 'string' && Object.hasOwn(probeTexts, probe);

/** Formats milliseconds as seconds: `0.4 s`, `12 s`. */
const seconds = (ms: number): string => `${ms < 9950 ? (ms / 1000).toFixed(1).replace('.0', '') : Math.round(ms / 1000)} s`;

/** Returns the half sentence with the reason, if the code has one. */
const whyOf = ({ probe, obstacle, detail = '' }: InstanceEventContext, words: Readonly<Record<string, string>>): string => {
  if (isProbe(probe)) return fill(probeTexts[probe], words);
  if (obstacle === 'Sandbox') return 'The sandbox could not be set up; its log says why';
  return obstacle === 'PlatformDisk' ? platformDisk : String(detail);
};
const wordsOf = (context: InstanceEventContext): Record<string, string> => {
  const entries = Object.entries(context).filter(([, value]) => value !== undefined);
  const words = Object.fromEntries(entries.map(([name, value]) => [name, name.endsWith('Ms') ? seconds(Number(value)) : String(value)]));
  const all = { exitCode: 'unknown', request: 'the health check', ...words };
  const why = whyOf(context, all);
  return { ...all, why, ...(isProbe(context['probe']) ? { probe: why } : {}) };
};

const withoutStop = (text: string): string => (text.endsWith('.') ? text.slice(0, -1) : text);

/** Returns what happened, without a full stop and without the next attempt, which changes every time. */
export const eventCause = ({ reason, context, message = '' }: Written): string => {
  if (context === null || !isCode(reason)) return withoutStop(message);
  const template = templates[reason];
  const ran = context['ranMs'] === undefined ? '' : ' after {ranMs}';
  return withoutStop(fill(`${typeof template === 'string' ? template : template(context)}${ran}`, wordsOf(context)));
};
export const eventSentence = (event: Written): string => {
  const { context } = event;
  if (context === null || !isCode(event.reason)) return event.message ?? '';
  return `${eventCause(event)}${context['restart'] === undefined ? '' : fill('; restart {restart} in {waitMs}', wordsOf(context))}.`;
};
/** Returns why a start or a health check failed, as half a sentence without the failed thing. */
export const eventDetail = (event: Written): string =>
  event.context === null || !isCode(event.reason) ? withoutStop(event.message ?? '') : whyOf(event.context, wordsOf(event.context));

/** Describes how a program ended. */
export const exitText = ({ code, signal, reason }: { code: number | null; signal: string | null; reason: string }): string => {
  if (reason === 'OOMKilled') return 'out of memory';
  if (signal !== null) return `signal ${signal}`;
  return code === null ? reason : `exit code ${code}`;
};
