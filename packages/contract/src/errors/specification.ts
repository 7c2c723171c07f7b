/** The codes of the specification (§8, decisions §5) that concern no other area, then our own. */
import type { ErrorEntry } from './error-entry.ts';

export const specificationErrors = {
  ApplicationAlreadyExists: { status: 409, message: 'Application already exists' },
  ApplicationDoesNotExists: { status: 404, message: 'Application with this ID does not exist' },
  AzureADAzureADUserDoesNotExist: { status: 404, message: 'AzureAD user does not exist' },
  AzureADServicePrincipalDoesNotExist: { status: 404, message: 'AzureAD service principal does not exist' },
  AzureADUserHasNoEmail: { status: 400, message: 'AzureAD user has no email' },
  CannotRemoveAutoAttachSecretGroups: {
    status: 409,
    message: 'Cannot remove auto attach secret groups',
  },
  ServiceAlreadyExists: { status: 409, message: 'Service already exists' },
  ServiceDoesNotExist: { status: 404, message: 'Service does not exist' },
  DeployPipelineAlreadyRunning: {
    status: 409,
    message: 'Deploy pipeline for this service is already running',
  },
  ExistingServices: {
    status: 409,
    message: 'Application services still exist and can not be deleted',
  },
  ExistingRevisions: { status: 409, message: 'Unable to delete service with existing revisions' },
  GithubRepositoryAlreadyExists: { status: 409, message: 'GitHub repository already exists' },
  AppRepositoryAlreadyExists: {
    status: 409,
    message: 'The app has a repository {repository} already. Make a blank service and connect it, or choose another name.',
  },
  InfraBrokerDoesNotExist: { status: 404, message: 'InfraBroker does not exist' },
  ManageInternalSecretGroups: {
    status: 403,
    message: 'Only internal service accounts can manage internal secret groups',
  },
  PipelineDoesNotExist: { status: 404, message: 'Pipeline does not exist' },
  PipelineTypeNotSupported: { status: 400, message: 'Provided pipeline type is not supported' },
  PipelineUncancellableState: { status: 409, message: 'Pipeline is in uncancellable state' },
  PipelineStepNotWaiting: { status: 409, message: 'No step of the pipeline waits for instances' },
  RegionDoesNotExist: { status: 400, message: 'Region does not exist' },
  TeamExistingApplications: {
    status: 409,
    message: 'Team has applications and can not be deleted',
  },
  WorkflowExecutionAlreadyStarted: {
    status: 409,
    message: 'Pipeline for this application is already running',
  },
  APPLICATION_WITH_GIVEN_NAME_ALREADY_EXISTS: {
    status: 409,
    message: 'Application with given name already exists',
  },
  SecretIsReferencedInAtLeastOneStack: {
    status: 409,
    message: 'Secret is referenced in at least one stack, and cannot be deleted',
  },
  HARBOR_ROBOT_ACCOUNT_MISSING: {
    status: 409,
    message: 'Robot account with sufficient permissions is missing',
  },
  HARBOR_NO_ROBOT_ACCOUNTS_CONFIGURED: { status: 409, message: 'No robot accounts configured' },
  HarborProjectInUse: { status: 409, message: 'Project is in use and cannot be deleted' },
  SCHEMA_IS_REFERENCED_BY_TOPICS: {
    status: 409,
    message: 'Schema is referenced by topics and cannot be deleted',
  },
  INTERNAL_APPLICATION_ERROR: {
    status: 500,
    message: 'Something went wrong on our side. Please try again later.',
  },
  MISSING_RESOURCE: {
    status: 404,
    message: 'The resource you are trying to access does not exist.',
  },
  SecretGroupAlreadyExists: { status: 409, message: 'Secret group already exists' },
  SecretGroupDoesNotExist: { status: 404, message: 'Secret group does not exist' },
  TeamAlreadyExists: { status: 409, message: 'Team already exists' },
  TeamDoesNotExist: { status: 404, message: 'Team with this ID does not exist' },
  HARBOR_REPOSITORY_ADDRESS_IS_WRONG_OR_IT_DOES_NOT_EXIST: {
    status: 400,
    message: 'Container repository address is wrong or it does not exist',
  },
  SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS: {
    status: 409,
    message: 'Schema with given name already exists',
  },
  TOPIC_WITH_GIVEN_NAME_ALREADY_EXISTS: {
    status: 409,
    message: 'Topic with given name already exists',
  },
  ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS: {
    status: 409,
    message: 'Account with given name already exists',
  },
  INVALID_ENV_VAR_NAME: { status: 400, message: 'Invalid environment variable name' },
} as const satisfies Record<string, ErrorEntry>;
