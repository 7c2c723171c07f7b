/** The plan of a write, which `?dryRun=true` returns and the console shows before applying. */
import * as z from 'zod/mini';
import { fill } from '../kernel/errors.ts';
import { Environment } from '../kernel/fields.ts';
import type { RouteShape } from '../kernel/kernel.ts';
import { PipelineRun } from './pipeline.ts';
import { ServiceChange } from './service-change.ts';

export const DryRunQuery = z.object({ dryRun: z._default(z.stringbool(), false) });

/** A code of `planTexts` with the values for its text, and `field` if the note concerns one. */
export const PlanNote = z.object({
  code: z.string(),
  context: z.record(z.string(), z.string()),
  field: z.optional(z.string()),
});
export type PlanNote = z.infer<typeof PlanNote>;

export const PlanApproval = z.object({
  /** Display name of the team whose members approve. */
  team: z.string(),
  /** People who may approve, at most 20. Administrators may, too. */
  approvers: z.array(z.object({ id: z.string(), displayName: z.string() })),
  app: z.string(),
  environment: Environment,
  request: z.object({
    operation: z.string(),
    service: z.optional(z.string()),
    revision: z.optional(z.string()),
    body: z.optional(z.unknown()),
  }),
});
export type PlanApproval = z.infer<typeof PlanApproval>;

/** The freeze window that refuses the write. */
export const PlanFreeze = z.object({
  name: z.string(),
  reason: z.string(),
  endsAt: z.string(),
  timeZone: z.string(),
  app: z.string(),
  /** Whether the caller may override it. */
  canOverride: z.boolean(),
});
export type PlanFreeze = z.infer<typeof PlanFreeze>;

export const Plan = z.object({
  /** Distinguishes a plan from a pipeline run. */
  isPlan: z.literal(true),
  pipelineType: z.string(),
  changes: z.array(ServiceChange),
  /** Effects on running instances and data, most severe first. */
  consequences: z.array(PlanNote),
  /** Points that deserve a second look. Warnings do not block the change. */
  warnings: z.array(PlanNote),
  /** Only the pipeline's steps that have work to do. */
  steps: z.array(z.object({ code: z.string(), name: z.string(), usualMs: z.nullable(z.number()) })),
  /** Null if no such pipeline has run yet. */
  usualMs: z.nullable(z.number()),
  /** Tags of the running image and of the new one. Null if the image does not change. */
  image: z.nullable(z.object({ before: z.nullable(z.string()), after: z.string() })),
  /** Secret groups whose version changes. Null on the side where the group is not read. */
  secretVersions: z.array(z.object({ group: z.string(), before: z.nullable(z.number()), after: z.nullable(z.number()) })),
  /** Set if the write needs the approval of a second person, who gets `request` as the body of `serviceChangeRequest`. */
  approval: z.optional(PlanApproval),
  /** Set while a freeze window refuses the write. */
  freeze: z.optional(PlanFreeze),
});
export type Plan = z.infer<typeof Plan>;

/** Answer of a write: 202 with the run, or 200 with the plan of a dry run. */
export const PlanOrRun = z.union([Plan, PipelineRun]);
export type PlanOrRun = z.infer<typeof PlanOrRun>;
/** Properties that the routes share that start a pipeline or plan it. */
export const startsRun = { query: DryRunQuery, response: PlanOrRun, status: 202 } as const;
/** Adds `?dryRun=true` to a write with a pipeline. */
export const planned = <const R extends RouteShape>(write: R): Omit<R, 'query' | 'response' | 'codes'> & DryRun => ({
  ...write,
  query: DryRunQuery,
  response: PlanOrRun,
  codes: [...new Set([...write.codes, 'InvalidValue' as const])],
});
interface DryRun {
  readonly codes: RouteShape['codes'];
  readonly query: typeof DryRunQuery;
  readonly response: typeof PlanOrRun;
}

interface More {
  readonly fieldLabel?: RouteShape['fieldLabel'];
  readonly bodyLimitKilobytes?: number;
  /** Further codes of create and update. */
  readonly create?: RouteShape['codes'];
  readonly update?: RouteShape['codes'];
}
/** Adds plans to the three writes of a resource, and what its create and update share. */
export const withPlans = <R extends Record<'create' | 'update' | 'remove', RouteShape>>(
  made: R,
  { create = [], update = [], ...shared }: More = {},
) => {
  const writes = { create: planned(made.create), update: planned(made.update) };
  return {
    ...made,
    create: { ...writes.create, ...shared, codes: [...writes.create.codes, ...create] },
    update: { ...writes.update, ...shared, codes: [...writes.update.codes, ...update] },
    remove: planned(made.remove),
  } as PlannedResource<R>;
};
type PlannedWrite<R extends RouteShape> = Omit<R, 'query' | 'response' | 'codes'> & DryRun;
type PlannedResource<R extends Record<'create' | 'update' | 'remove', RouteShape>> = Omit<R, 'create' | 'update' | 'remove'> & {
  readonly [Verb in 'create' | 'update' | 'remove']: PlannedWrite<R[Verb]>;
};
export const isPlan = (answer: PlanOrRun): answer is Plan => 'isPlan' in answer;

/** Returns the started run, for callers that did not request a dry run. Throws on a plan. */
export const runOf = (answer: PlanOrRun): PipelineRun => {
  if (isPlan(answer)) throw new Error('A plan was answered where a run was started');
  return answer;
};

export const planTexts: Readonly<Record<string, string>> = {
  // Consequences
  NothingRuns: 'Nothing runs yet, so nothing restarts. The next pipeline uses these settings.',
  ReplacesInstances: 'Replaces {count} instances of {revision} by a new revision. No downtime.',
  ReplacesInstancesOneByOne: 'Replaces {count} instances of {revision}: the old ones stop once the new ones are healthy. No downtime.',
  ReplacesInstancesWithDowntime:
    'Stops {count} instances of {revision} first, then starts the new ones. The service answers 503 meanwhile.',
  KeepsOldRevision: '{revision} is kept, disabled: going back is enabling it.',
  DeletesOldRevision: '{revision} is deleted once the new one is healthy. You can still roll back to it.',
  ScalesInstances: '{from} instances become {to}, without a restart.',
  ScalesWithCpu: 'Between {min} and {max} instances, by CPU, without a restart.',
  ChangesEdge: 'The edge changes at once; no instance restarts.',
  StopsTraffic: '{url} stops answering.',
  StartsTraffic: '{url} starts answering.',
  MovesTraffic: '{before} becomes {after}. The old address stops answering.',
  StopsInstances: 'Stops {count} instances. {url} stops answering.',
  StartsInstances: 'Starts {count} instances of {revision}.',
  AppliesFromNowOn: 'No running instance changes. The platform uses the new value from now on.',
  NextPipeline: 'Applies to the next pipeline.',
  MakesService: 'Makes the service {service} in {environment}.',
  MakesRevision: 'Makes a new revision with the image {image}.',
  DeletesService: 'Deletes {service} with its images. This cannot be undone.',
  KeepsRepository: 'The source repository {repository} stays.',
  DeletesRevision: 'Deletes {revision} with its logs. Its settings stay readable.',
  FreesAddress: '{url} is free for others.',
  RedirectsNothing: 'No traffic moves.',
  BuildsNow: 'Builds the newest commit of {repository} and deploys it.',
  PushesDeploy: 'From now on a push to {repository} is built and deployed.',
  PushesDeployElsewhere: 'A push to {repository} deploys to development alone; here a person decides.',
  PushesDeployNoMore: 'A push to {repository} is not deployed any more.',
  AttachesSecretGroup: 'Attaches the secret group {group}.',
  MakesDatabase: 'Makes the PostgreSQL database {database} with {storage} GB of storage and at most {connections} connections.',
  MakesSecretGroup: 'Makes the secret group {group}. Services connect with its keys.',
  AttachesToService: '{service} reads the secret group {group} from its next revision on.',
  ChangesSetting: '{label} changes from {before} to {after}.',
  RefusesConnections: 'Ends every connection to {database} and refuses new ones. Data and backups are kept.',
  AcceptsConnections: '{database} accepts connections again.',
  MakesPassword: 'Makes a new password as a new version of {group}. A service uses it once it is restarted.',
  FormerPasswordStays: 'The former password works for {hours} h more.',
  FormerPasswordEnds: 'The former password ends at once, and with it every connection that uses it.',
  OpensReader: 'Makes a login that reads every table of {database}, also later ones, and writes nothing.',
  MakesReaderGroup: 'Makes the secret group {group}. Its keys allow reading only.',
  SharesConnections: 'The read-only login gets {reader} of the {all} connections. {rest} are left for the services that write.',
  MakesReaderPassword: 'Makes a new password of the read-only login, too, as a new version of {group}.',
  ClosesReader: 'Ends the read-only login and its connections, and deletes the secret group {group}.',
  FreesConnections: 'All {all} connections are for the services that write again.',
  MakesClusterUser: 'Makes the user {user} on the Kafka cluster.',
  MayWriteTopic: 'May write {topic}.',
  MayReadTopic: 'May read {topic}.',
  ShowsPasswordOnce: 'The password is shown once.',
  FormerPasswordEndsAtOnce: 'The former password ends at once: clients cannot sign in again until they have the new one.',
  DeletesClusterUser: 'Deletes the user {user} on the Kafka cluster with its access rules. Clients that use it stop at once.',
  DeletesGroups: 'Deletes the consumer groups {prefix}* with their offsets. A new account of the name begins anew.',
  DeletesDatabase: 'Deletes the database {database} with its data, its logins and the secret group {group}. This cannot be undone.',
  MakesLastBackup: 'Makes a last backup first, which is kept for {days} days. A database that is deactivated is deleted without one.',
  MakesSchema: 'Registers {schema} as version 1 of {subject}, with the level {level}.',
  RegistersVersion: 'Registers a new version of {subject}.',
  ChangesLevel: 'The compatibility level changes from {before} to {after}.',
  DeletesSchema: 'Deletes {schema} with its versions. Messages that were written with it can still be read.',
  MakesTopic: 'Makes the topic {topic} with {partitions} partitions and {replicas} replicas, kept for {hours} h.',
  AddsPartitions: '{before} partitions become {after}.',
  DeletesTopic: 'Deletes the topic {topic} with its messages. This cannot be undone.',
  DeletesForeignRule: 'Deletes the access rule of {user} that somebody else made: {permission} {operation} on {topic}.',
  CutsOff: '{reader} cannot use it any more.',
  PutsBack: '{name} becomes {ours} again; the cluster has {theirs}.',
  TakesOver: '{name} stays {theirs}, as the cluster has it.',
  SetsSecretKeys: 'Saves {keys} in the secret group {group}.',
  PromotesPart: 'Production gets {name} as it is in development.',
  PartCheckedLater: 'It needs the parts before it, and is checked when its turn comes.',
  // Warnings
  PartRefused: '{name} would be refused now: {reason}',
  AsksApproval: '{name} waits for a second person of {team}: the promotion asks for the approval.',
  CreationUnfinished: '{name} was not fully created in production. Run its pipeline again, or discard it.',
  ProductionBusy: '{name} is being created or deleted in production.',
  NotDeployedYet: '{name} has no deployed image in development yet.',
  SizesDiffer: 'Sizes are usually meant to differ.',
  BreaksReaders: 'It is not compatible with the version in production.',
  TopicNotInProduction: 'Needs the topic {topic} in production.',
  TopicNotShared: 'The topic {topic} is not shared with other teams in production.',
  TeamDecides: '{team} decides on the topic {topic}.',
  ValuesDiffer: 'Values are never copied: production keeps its own.',
  MessagesGo: 'Messages older than {after} h are deleted within minutes. They were kept for {before} h.',
  KeysMove: 'Messages of a key that come from now on may lie in another partition than those before: their order is lost once.',
  CompactsNow: 'Of messages with the same key only the newest is kept.',
  OtherReplication: 'Production gets {after} replicas, its default. Development has {before}.',
  FewerReplicas: 'This cluster keeps {effective} replicas. {wanted} are recorded.',
  ReadersStop: '{readers} readers are cut off.',
  SecretGroupMissing: '{environment} has no secret group {group}. Make or copy it first, or leave out what refers to it.',
  SecretKeyMissing: 'The secret group {group} of {environment} has no key {key}.',
  DomainTaken: 'Another service answers on {address}, so the domain cannot be carried.',
  NamesOtherEnvironment: 'The value of {name} speaks of {environment}. It is carried as it is.',
  LooksLikeSecret: 'The value of {name} looks like {kind}. It will be readable by the whole team and stand in every revision.',
  BasicAuthWeak: 'Basic authentication sends the password with every request. Use it for tests, and JWT for everything else.',
  NoAuthOpen: 'Everybody who reaches the address may call the service.',
  OutgoingAny: 'The program may send to every public address. Listing the hosts that it needs is safer.',
  OutgoingNotRestricted: 'Outgoing traffic is not restricted on this machine: all services share its network.',
  NoHealthCheck: 'Without a health check no pipeline can run.',
  SingleReplica: 'With one instance a crash is an outage.',
  Downtime: 'RECREATE means downtime on every deploy.',
  PatternMatchesNothing: 'No tag in {repository} matches the pattern today.',
  PatternDeploys: 'The newest matching tag is {tag}; it is deployed when it is pushed again, not now.',
  SecretVersionsOld: 'It reads version {version} of {group}; the newest is {newest}.',
  ImageIsOld: 'The image {tag} was pushed {days} days ago.',
  NotEnforced: '{label} is observed and not enforced on this machine.',
  NotOffered: '{label} has no effect on this engine.',
  ProductionChange: 'This changes production.',
  ManyConnections: '{plan} is at ease with up to {easy} connections.',
  StorageNeverShrinks: 'Storage cannot be decreased later.',
};
/** Returns the note's text. Corrects "1 instances" to "1 instance". */
export const planTextOf = ({ code, context }: Pick<PlanNote, 'code' | 'context'>): string =>
  Object.hasOwn(planTexts, code) ? fill(planTexts[code] ?? '', context).replace(/\b1 instances\b/g, '1 instance') : '';
