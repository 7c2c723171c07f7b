/**
 * The steps' words: their names and the texts of step messages (specification §8, message lookup). A message is found by
 * step code and message code, else by message code alone, else it is empty.
 */
import { fill } from '../kernel/errors.ts';
import { pipelineTypeLabel } from './pipeline-types.ts';

export const stepNames: Readonly<Record<string, string>> = {
  CheckNames: 'Check names',
  CheckTeam: 'Check team',
  CreateTeam: 'Create team',
  UpdateTeam: 'Update team',
  DeleteTeam: 'Delete team',
  CreateApplication: 'Create app',
  DeleteApplication: 'Delete app',
  CreateRepository: 'Create repository from template',
  DeleteRepositories: 'Delete repositories',
  CreateRegistryProject: 'Create registry project',
  CreateRobotAccount: 'Create robot account',
  DeleteRegistryProject: 'Delete registry project',
  ReadSource: 'Read source',
  BuildImage: 'Build image',
  ValidateService: 'Validate settings',
  ValidateContainerImage: 'Validate container image',
  CreateService: 'Create service',
  ConfigureCredentials: 'Make credentials',
  UpdateService: 'Save settings',
  ConnectRepository: 'Connect repository',
  AttachSecretGroups: 'Attach secret groups',
  CreateRevision: 'Create revision',
  StopOldRevisions: 'Stop old revisions',
  StartInstances: 'Start instances',
  ScaleInstances: 'Scale instances',
  ShiftTraffic: 'Shift traffic',
  ConfigureExternalTraffic: 'Configure external traffic',
  RetireOldRevisions: 'Retire old revisions',
  StopInstances: 'Stop instances',
  DeleteRevision: 'Delete revision',
  DeleteService: 'Delete service',
};
/** The step's user text, with the specification's fallback. */
/** A step that is all of its pipeline is called as that is. */
export const stepNameOf = (code: string): string => stepNames[code] ?? pipelineTypeLabel(code) ?? 'Unknown step';
export const isStep = (code: string): boolean => Object.hasOwn(stepNames, code) || pipelineTypeLabel(code) !== undefined;

/** What went wrong, or what was done; values come from the message's context. */
export const stepMessages: Readonly<Record<string, string>> = {
  'CheckNames.RepositoryAlreadyExists': 'Github repository {repoName} already exists. Choose a different application name.',
  'CreateRepository.RepositoryAlreadyExists': 'Github repository {repoName} already exists. Choose a different application name.',
  'CheckNames.RegistryProjectAlreadyExists':
    'The registry project {project} belongs to somebody else. Choose a different application name.',
  'CreateRegistryProject.RegistryProjectAlreadyExists':
    'The registry project {project} belongs to somebody else. Choose a different application name.',
  'CreateTeam.TeamAlreadyExists': 'Team with id {team} already exists. Choose a different team id.',
  HealthCheckRequired: 'Health check is required to run new pipeline',
  SecretVolumeNotReferenced: 'Secret volume refers to a secret that is not referenced in stack',
  SecretKeyNotReferenced: 'Environment variable refers to a secret key that is not referenced in stack',
  SecretFileFormatUnknown: 'Secret files are written as file, env, bash, powershell, json or yaml',
  'StartInstances.SecretUnreadable':
    'A secret cannot be read: what is stored was changed or moved, or its key is lost. Restore it from a backup, or set it anew.',
  ServiceInactive: 'The service {service} is inactive. Activate it first.',
  ImageDoesNotExist: 'There is no image {image}. Push it, or choose another tag.',
  ContainerImageWrong: 'Container image is wrong or does not exist',
  ServiceDoesNotExist: 'Service {service} does not exist any more.',
  SettingsChangedMeanwhile: 'Somebody changed the settings meanwhile. Look at what is different now, then save again.',
  DomainInUse: 'Another service answers on {address}.',
  RevisionDoesNotExist: 'The revision {revision} does not exist any more.',
  RollbackSecretGone: 'It needs version {version} of a secret group, and that was deleted meanwhile.',
  'ConnectRepository.ChooseExistingRepository': 'Repository {repository} does not exist any more.',
  'BuildImage.BuildNoStartCommand':
    'The source does not say how to start. Add a start script to package.json, a main entry, or a server.js or index.js.',
  'BuildImage.BuildLockfileMissing':
    'package.json has dependencies, but there is no package-lock.json. Run npm install, and commit the lock file.',
  'BuildImage.BuildPackageInvalid': 'package.json is not valid: {reason}',
  'BuildImage.BuildDependenciesFailed': 'Installing the dependencies failed: {reason}',
  'BuildImage.BuildScriptFailed': 'The build script failed: {reason}',
  'BuildImage.BuildTimeout': 'The build took longer than {seconds} s and was stopped.',
  'BuildImage.BuildTooLarge': 'The build made more than {limit}.',
  'BuildImage.BuildOutputInvalid': 'What the build made cannot become an image: {reason}',
  'BuildImage.BuildSourceInvalid': 'The source cannot be built: {reason}',
  RegistryDenied: 'The registry refused the platform: {reason}',
  RegistryRefused: 'The registry refused the image: {reason}',
  RepositoryNameInvalid: '{repository} cannot be the name of a repository.',
  SourcePathInvalid: 'The path {path} cannot be kept in a repository.',
  'BuildImage.BuildSandboxRequired': 'This machine offers no sandbox, so builds with dependencies or build scripts are refused.',
  SourceTooLarge: 'The source tree is larger than {limit}.',
  CommitDoesNotExist: 'The commit {commit} does not exist any more.',
  'StartInstances.CrashLoop': 'The instances exit right after the start: {exit}. {lastLine}',
  'StopOldRevisions.NotHealthyAgain': '{revision}, which served before, does not get healthy again',
  'StartInstances.NotHealthy': 'No instance got healthy within {seconds} s: {reason}',
  'StartInstances.WrongPort': '{reason}',
  'StartInstances.OutOfMemory': 'The instances were stopped for using more than {limit} MB of memory.',
  'StartInstances.ImagePullFailed': 'The image could not be pulled: {reason}',
  'StartInstances.MountRefused': '{reason}',
  RuntimeDown: 'Waiting for the runtime: no replica drives it at the moment.',
  'DeleteTeam.TeamExistingApplications': 'Team {team} has applications and can not be deleted',
  EngineUnavailable: 'The {engine} does not answer; trying again ({attempt}).',
  PlatformDiskFull: 'The disk of the platform is nearly full; trying again ({attempt}).',
  Discarded: 'It was discarded meanwhile.',
  Undone: 'What this step had made was removed again.',
  UndoFailed: 'What this step had made could not be removed: {reason}. Re-run, or discard.',
  Canceled: 'Cancelled by {by}.',
  INTERNAL_APPLICATION_ERROR: 'Something went wrong on our side. Please try again later. Trace Id: {traceId}',
  RepositoryCreated: 'Repository {repository}, first commit {commit}',
  ImageBuilt: 'Image {image}, {size}',
  ServiceHealthy: 'Healthy after {duration}',
  TrafficShifted: '{url} is served by {revision}',
  RevisionServes: '{revision} is the one that runs now',
  SettingsSaved: '{count} settings changed',
  InstancesScaled: '{from} instances became {to}',
  EdgeConfigured: '{url} answers with the new settings',
  EdgeClosed: 'The service has no external traffic now',
  CredentialsMade: 'User name and password are in the secret group {group}',
};

/** Values that are words out of a program's or a build's log, which is its team's alone; what others read in their place. */
const fromLogs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CrashLoop: { lastLine: '' },
  BuildDependenciesFailed: { reason: 'the log tells the team why' },
  BuildScriptFailed: { reason: 'the log tells the team why' },
  BuildOutputInvalid: { reason: 'the log tells the team why' },
};
/** The message as those read it who may not read the logs (decisions §2). */
export const withoutLogs = <M extends { code: string; context: Readonly<Record<string, string>> }>(message: M): M => ({
  ...message,
  context: { ...message.context, ...(Object.hasOwn(fromLogs, message.code) ? fromLogs[message.code] : {}) },
});

export const stepMessageOf = (stepCode: string, message: { code: string; context: Readonly<Record<string, string>> } | null): string => {
  if (!message) return '';
  const template = stepMessages[`${stepCode}.${message.code}`] ?? stepMessages[message.code];
  return template ? fill(template, message.context) : '';
};
