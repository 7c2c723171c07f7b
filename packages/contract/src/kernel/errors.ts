/** The error catalogue: every code that may reach a user, with its status and text. Error texts are defined only here. */

interface Entry {
  readonly status: number;
  readonly message: string;
}

/** Server codes (specification §8, decisions §5, then our own). The error's context fills in `{name}`. */
export const errorCatalogue = {
  ApplicationAlreadyExists: { status: 409, message: 'Application already exists' },
  ApplicationDoesNotExists: { status: 404, message: 'Application with this ID does not exist' },
  AzureADAzureADUserDoesNotExist: { status: 400, message: 'AzureAD user does not exist' },
  AzureADServicePrincipalDoesNotExist: {
    status: 400,
    message: 'AzureAD service principal does not exist',
  },
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

  // Form rules of the specification (§5) and our own, reported at a field.
  Required: { status: 400, message: '{label} is required' },
  Maximum: { status: 400, message: 'Maximum {label} of {max} is required' },
  Minimum: { status: 400, message: 'Minimum {label} of {min} is required' },
  NotANumber: { status: 400, message: '{label} must be a number' },
  NotAnInteger: { status: 400, message: '{label} must be an integer' },
  NotARegularExpression: { status: 400, message: '{label} is not a valid regular expression' },
  KebabCase: {
    status: 400,
    message: '{label} can only contain lowercase letters, numbers, and dashes',
  },
  LowercaseAlphanumeric: {
    status: 400,
    message: '{label} can only contain lowercase letters and numbers',
  },
  NotAPath: { status: 400, message: '{label} is not a valid path' },
  PrivateHost: { status: 400, message: '{label}: {host} leads to the service itself, this machine or a private network' },
  NotAHost: { status: 400, message: '{label}: api.example.com, api.example.com:8443 or *.example.com is expected' },
  NotARegistryPath: {
    status: 400,
    message: "{label} must contain full path to the company's container registry",
  },
  DoesNotMatchPattern: { status: 400, message: '{label} does not match expected pattern' },
  ExceedsMaximumLength: { status: 400, message: '{label} exceeds maximum length' },
  MinimumLength: { status: 400, message: '{label} needs at least {min} characters' },
  InvalidName: { status: 400, message: "'{value}' is an invalid name" },
  ServiceNameMustStartWithApplicationName: {
    status: 400,
    message: 'Service name must start with application name',
  },
  TeamMustContainCurrentUser: { status: 400, message: 'Team must contain current user' },
  TeamMustContainCurrentServicePrincipal: {
    status: 400,
    message: 'Team must contain current service principal',
  },
  TeamMustIncludeValidUsers: { status: 400, message: 'Team must include valid users' },
  TeamServicePrincipalsMustBeValid: {
    status: 400,
    message: 'Team service principals must be valid',
  },
  TeamNeedsOwner: { status: 400, message: 'A team needs at least one owner' },
  ChooseExistingRepository: { status: 400, message: 'Please choose an existing GitHub repository' },
  RepositoryNameOnly: { status: 400, message: 'Github repository name must be valid or empty' },
  ContainerImageWrong: { status: 400, message: 'Container image is wrong or does not exist' },
  ImageTagDoesNotExist: {
    status: 400,
    message: 'There is no image with the tag {tag} in {repository}',
  },
  TemplateDoesNotExist: { status: 400, message: 'There is no template with this name' },
  InvalidValue: { status: 400, message: '{label} is not valid' },
  EnvironmentDoesNotExist: { status: 404, message: 'The environment is development or production' },
  QueryTooShort: { status: 400, message: 'Type at least three characters' },

  // Sign-in and rights.
  NotSignedIn: { status: 401, message: 'Sign in to go on' },
  TokenInvalid: {
    status: 401,
    message: 'The token is expired, revoked or not meant for this platform. Sign in again.',
  },
  TokenScopeMissing: { status: 403, message: 'This token does not carry the scope {scope}' },
  NotAMember: { status: 403, message: 'Only members of the team {team} can do this' },
  NotAnOwner: { status: 403, message: 'Only owners of the team {team} can do this' },
  NotAnAdministrator: { status: 403, message: 'Only platform administrators can do this' },
  MacIdAlreadySet: { status: 409, message: 'The macId is set already and cannot be changed' },
  MacIdDoesNotExist: { status: 400, message: 'The catalog has no application with this macId' },
  MacIdInUse: { status: 409, message: 'Another app carries this macId' },

  // Requests.
  BodyInvalid: { status: 400, message: 'The request body is not valid JSON of the expected shape' },
  RequestInvalid: { status: 400, message: 'This is no valid HTTP request' },
  BodyTooDeep: { status: 400, message: 'The request body is nested deeper than {max} levels' },
  BodyKeyInvalid: { status: 400, message: 'The key {key} stands twice in one object, or is never taken' },
  MethodNotAllowed: { status: 405, message: 'This address does not take {method}, but {allow}' },
  HeadersTooLarge: { status: 431, message: 'The headers of the request are too large' },
  TooManyRequests: {
    status: 429,
    message: 'Too many requests at the same time. Try again in {seconds} s.',
  },
  TooManyStreams: {
    status: 429,
    message: 'You have {max} live streams open. Close some, or try again in {seconds} s.',
  },
  TooManyApiTokens: { status: 409, message: 'You have {max} API tokens. Revoke one that is not used any more.' },
  PayloadTooLarge: { status: 413, message: 'The request is larger than {limit}' },
  IdempotencyKeyReused: {
    status: 409,
    message: 'This Idempotency-Key was used for a different request',
  },
  WrongHost: { status: 421, message: 'This address is not served here' },

  // Feature flags.
  FlagDoesNotExist: { status: 404, message: 'Flag does not exist' },
  FlagAlreadyExists: { status: 409, message: 'A flag of this name exists' },
  FlagLimitReached: { status: 409, message: 'An app may have at most {max} {what}' },
  FlagValueInvalid: { status: 400, message: 'The value must be of the type of the flag: {type}' },
  FlagRuleInvalid: {
    status: 400,
    message: 'The rule is incomplete: ids are unique, the end is after the start, a split has two or more shares of 100 % in all',
  },
  FlagConditionInvalid: {
    status: 400,
    message: 'The condition uses an unknown operator, or a pattern that is too slow to match: use at most one of * + ? {} in a pattern',
  },
  FlagPrerequisiteInvalid: { status: 400, message: 'The prerequisite {flag} is archived or does not exist' },
  FlagPrerequisiteCycle: { status: 400, message: 'The prerequisites form a circle: {flags}' },
  FlagRuleGroupMissing: { status: 400, message: 'The saved group {group} does not exist' },
  FlagIsPrerequisite: { status: 409, message: 'Other flags depend on this flag. Remove it from their rules first.' },
  FlagVersionConflict: { status: 409, message: 'Somebody saved version {version} meanwhile. Look at it, then save again.' },
  FlagVersionDoesNotExist: { status: 404, message: 'The history has no such version' },
  FlagGroupDoesNotExist: { status: 404, message: 'Saved group does not exist' },
  FlagGroupAlreadyExists: { status: 409, message: 'A saved group of this name exists' },
  FlagGroupInUse: { status: 409, message: 'Flags use the group. Remove it from their rules first.' },
  FlagKeyDoesNotExist: { status: 404, message: 'Client key does not exist' },
  FlagKeyAlreadyExists: { status: 409, message: 'A client key of this name exists' },
  ClientKeyUnknown: { status: 404, message: 'No such client key. Copy it from the flags of the app.' },
  ClientKeyIsRemote: { status: 400, message: 'The client key is for remote evaluation. Set remoteEval in the SDK.' },
  // Revisions, services, pipelines, robot accounts, webhooks and API tokens.
  RevisionDoesNotExist: { status: 404, message: 'Revision does not exist' },
  RevisionBeingDeleted: { status: 409, message: 'The revision is being deleted' },
  RevisionIsServing: {
    status: 409,
    message: 'This revision serves the traffic. Disable it, or run a pipeline first.',
  },
  ServiceNotCreated: {
    status: 409,
    message: 'The service was not created. Re-run its pipeline, or discard it.',
  },
  SettingsUnreadable: {
    status: 409,
    message: 'The stored settings of the service cannot be read. Its instances keep running. Ask your operators to repair them.',
  },
  ApplicationNotCreated: {
    status: 409,
    message: 'The app was not created. Re-run its pipeline, or discard it.',
  },
  ServiceInactive: { status: 409, message: 'The service is inactive. Activate it first.' },
  PipelineNotFailed: { status: 409, message: 'Only a failed or cancelled pipeline can be re-run' },
  RobotAccountAlreadyExists: { status: 409, message: 'A robot account of this name exists. Rotate its secret, or choose another name.' },
  RobotAccountDoesNotExist: { status: 404, message: 'Robot account does not exist' },
  RobotAccountOfPlatform: { status: 409, message: 'The platform keeps this account for itself. Nobody changes it.' },
  TooManyRobotAccounts: { status: 409, message: 'A project may have 100 robot accounts. Delete one that nobody uses.' },
  ExpiryInThePast: { status: 400, message: 'The last day is over already' },
  WebhookDoesNotExist: { status: 404, message: 'Webhook does not exist' },
  WebhookAlreadyExists: { status: 409, message: 'A webhook of this name exists' },
  TooManyWebhooks: { status: 409, message: 'A project may have 20 webhooks' },
  LinkInvalid: { status: 400, message: '{label} must be an http or https address' },
  MonitorDoesNotExist: { status: 404, message: 'Browser monitor does not exist' },
  MonitorAlreadyExists: { status: 409, message: 'A browser monitor with this name already exists' },
  MonitorErrorDoesNotExist: { status: 404, message: 'This error does not exist' },
  MonitorSessionDoesNotExist: { status: 404, message: 'This session does not exist' },
  NotAnOrigin: { status: 400, message: '{label}: https://app.example.com, https://*.example.com or * is expected' },
  OriginNotAllowed: { status: 403, message: 'The browser monitor does not accept payloads from the origin {origin}' },
  CollectorKeyInvalid: { status: 401, message: 'The API key of the browser monitor is missing or not valid' },
  SourceMapInvalid: { status: 400, message: 'The file is not a source map of version 3' },
  SourceMapDoesNotExist: { status: 404, message: 'There is no source map of this release' },
  TooManySourceMaps: { status: 409, message: 'The release already has the maximum number of source maps' },
  SourceMapStorageFull: { status: 409, message: 'The source maps of the browser monitor would take more than {limit}' },
  WebhookTargetInvalid: { status: 400, message: '{label} must be an http or https URL without user name, password and fragment' },
  WebhookTargetInside: {
    status: 400,
    message: '{host} leads to an address inside the platform, or to a port that may not be called. An administrator can allow it.',
  },
  AuthorizationInvalid: { status: 400, message: '{label} must be one line of printable ASCII, without spaces around it' },
  WebhookDisabled: { status: 409, message: 'The webhook is disabled. Enable it first.' },
  WebhookTestTooSoon: { status: 429, message: 'A test was sent less than a minute ago. Try again in {seconds} s.' },
  WebhookDeliveryDoesNotExist: { status: 404, message: 'The log has no such delivery' },
  NotificationDoesNotExist: { status: 404, message: 'Your notifications contain no such entry' },
  ChannelDoesNotExist: { status: 404, message: 'Notification channel does not exist' },
  ChannelAlreadyExists: { status: 409, message: 'The team has a channel with this name' },
  TooManyChannels: { status: 409, message: 'A team may have 20 notification channels. Delete one first.' },
  NotAnEmailAddress: { status: 400, message: '{label} must be an e-mail address' },
  ApiTokenDoesNotExist: { status: 404, message: 'API token does not exist' },

  // Service settings (specification §5).
  ReplicasAboveMaximum: { status: 400, message: 'Replicas must be less than or equal to max replicas' },
  MinReplicasAboveMaximum: { status: 400, message: 'Min replicas must be less than or equal to max replicas' },
  SameMountPath: { status: 400, message: "You can't use the same mount path for multiple volumes" },
  DuplicateVolumePaths: { status: 400, message: 'Duplicate volume paths are not allowed' },
  SystemMountPath: {
    status: 400,
    message:
      'A volume here would hide what programs need to start, or how they find other hosts. Take a path of your own, such as /etc/tls',
  },
  ReservedMountPath: { status: 400, message: 'Nothing can be mounted at /, /proc, /dev, /sys or /tmp, or below' },
  DuplicateEnvVar: { status: 400, message: 'The environment variable {name} is set more than once' },
  ExternalTrafficNeedsInternal: { status: 400, message: 'External traffic cannot be on when internal traffic is off' },
  ApiProxyNeedsJwt: { status: 400, message: 'API proxy traffic supports only JWT authentication' },
  SignInNeedsNetworks: {
    status: 400,
    message: 'This machine cannot keep services apart by network, so that a sign-in at the edge could be walked around',
  },
  BasePathFixed: { status: 400, message: 'The base path of an API proxy cannot change once it is applied' },
  DomainInUse: { status: 409, message: 'Another service answers on {address}' },
  DomainReserved: { status: 400, message: 'The platform keeps {address} for itself' },
  NotOnThisEngine: { status: 400, message: '{label} is not offered by this engine' },
  SettingsChangedMeanwhile: {
    status: 409,
    message: 'Somebody changed the settings meanwhile. Look at what is different now, then save again.',
  },
  NothingChanged: { status: 409, message: 'Nothing would change' },
  RollbackToServing: { status: 409, message: 'This revision serves already' },
  RollbackImageGone: { status: 409, message: 'The image {image} is not in the registry any more' },
  RollbackSecretGone: { status: 409, message: 'It needs version {version} of the secret group {group}, which was deleted' },
  CopyOntoItself: { status: 400, message: 'A service cannot be copied onto itself' },
  YamlInvalid: { status: 400, message: 'Line {line}: {reason}' },
  YamlUnknownField: { status: 400, message: 'Line {line}: {name} is not a setting' },
  YamlOtherService: { status: 400, message: 'The file is of {name}, not of this service' },
  BasicAuthNotInUse: { status: 409, message: 'The service does not use basic authentication' },
  AccessTokenNotOffered: {
    status: 409,
    message: 'Tokens come from the sign-in authority of your company. Ask it for one with the audience {audience}.',
  },

  // Databases.
  DatabaseDoesNotExist: { status: 404, message: 'Database does not exist' },
  DatabaseAlreadyExists: { status: 409, message: 'Database already exists' },
  DatabaseNotCreated: { status: 409, message: 'The database is not there as a whole. Re-run its pipeline, or delete it.' },
  ExistingTopics: { status: 409, message: 'Topics, schemas or accounts of the app still exist. Delete them first.' },
  ExistingDatabases: { status: 409, message: 'Databases of the app still exist. Delete them first.' },
  DatabaseInactive: { status: 409, message: 'The database is inactive. Activate it first.' },
  DatabasePipelineRunning: { status: 409, message: 'A pipeline of this database is running. Settings can be changed when it is through.' },
  NotAPowerOfTwo: { status: 400, message: '{label} must be a power of 2: 32, 64, 128 …' },
  ConnectionsNotLeft: { status: 400, message: 'The database server has {left} connections left for this database. Choose fewer.' },
  StorageCannotBeDecreased: { status: 400, message: 'Storage cannot be decreased. It has {min} GB.' },
  FormerPasswordValid: { status: 409, message: 'The former password still works. End it first, or wait until it has ended.' },
  BackupDoesNotExist: { status: 404, message: 'Backup does not exist' },
  BackupNotComplete: { status: 409, message: 'The backup is not complete' },
  BackupInUse: { status: 409, message: 'The backup is being made or checked' },
  BackupAlreadyPending: { status: 409, message: 'A backup of this database is being made already' },
  NoFormerPassword: { status: 409, message: 'No former password is valid any more' },

  // Streaming: accounts and access to topics.
  AccountDoesNotExist: { status: 404, message: 'Account does not exist' },
  AccountNameRequired: { status: 400, message: 'Please provide an account name' },
  AccountNotCreated: { status: 409, message: 'The account is not there as a whole. Re-run its pipeline, or delete it.' },
  AccountPasswordGone: { status: 409, message: 'There is no password to show. It was shown already, or its time is over. Rotate it.' },
  AccountPasswordOfOther: { status: 403, message: 'The password is shown once, to {name}, who asked for it' },
  DuplicateTopic: { status: 400, message: 'The topic {topic} stands in the list twice' },
  TopicNotShared: { status: 409, message: 'The team of {topic} does not share it with other teams' },
  RequestDoesNotExist: { status: 404, message: 'Request does not exist' },
  RequestDecided: { status: 409, message: 'This is decided already: {name} {decision} it {minutes} min ago' },
  RequestChanged: { status: 409, message: 'The request has changed: it has revision {revision} now. Read it again before you decide.' },
  RequestVoid: { status: 409, message: 'The request is void and can no longer be approved: {reason}' },
  RequestAlreadyPending: { status: 409, message: 'You have asked for this already: {request} waits for a decision' },
  RequestNotRepeatable: { status: 409, message: 'This request cannot be raised again' },
  ApprovalRequired: {
    status: 409,
    message: 'A second person of {team} approves changes in production. Request the change instead.',
  },
  ProductionFrozen: { status: 409, message: 'Production is frozen until {until} for {name}: {reason}' },
  NotFrozen: { status: 409, message: 'Production is not frozen' },
  FreezeOverrideRefused: { status: 403, message: 'Only an administrator can override this freeze' },
  FreezeWindowDoesNotExist: { status: 404, message: 'Freeze window does not exist' },
  FreezeIsOver: { status: 409, message: 'The end has passed' },
  FreezeEndsTooEarly: { status: 400, message: 'The end must be after the beginning' },
  FreezeScopeUnknown: { status: 409, message: 'There is no team or app {name}' },
  ApprovalNotNeeded: { status: 409, message: 'This change needs no approval. Make it directly.' },
  QuickstartNeedsApproval: {
    status: 409,
    message: 'A second person of {team} approves changes in production. Make the service in development, then copy it.',
  },
  ApproverMustBePerson: { status: 403, message: 'Only a person can approve a change in production' },
  ChangeNoLongerFits: { status: 409, message: 'The change is no longer possible: {reason}' },
  OwnRequest: { status: 403, message: 'You asked for this yourself. Another person must decide.' },
  NotADecider: { status: 403, message: 'You may read this request, but others decide it' },
  NotTheRequester: { status: 403, message: 'Only those who raised the request can change or withdraw it' },
  AssigneeMayNotDecide: { status: 400, message: '{id} may not decide this request' },
  TooManyComments: { status: 409, message: 'A request can have at most {max} comments' },
  TopicGrantDoesNotExist: { status: 404, message: 'Request does not exist' },
  TopicGrantDecided: { status: 409, message: 'This is decided already: {name} {decision} it {minutes} min ago' },
  TopicGrantNotApproved: { status: 409, message: 'Only an approved request can be taken back' },

  // Event streaming: schemas and topics (specification §5, then our own).
  LowercaseLetters: { status: 400, message: '{label} can only contain lowercase letters' },
  SchemaNameRequired: { status: 400, message: 'Please provide a schema name' },
  SchemaTypeRequired: { status: 400, message: 'Please select a schema type' },
  SchemaContentRequired: { status: 400, message: 'Please provide a schema content' },
  ContentNotJson: { status: 400, message: 'Content must be valid JSON' },
  SchemaInvalid: { status: 400, message: 'Line {line}: {reason}' },
  SchemaReferenceDoesNotExist: {
    status: 400,
    message: 'There is no schema {schema} in this app and environment, or it has no such version',
  },
  SchemaDoesNotExist: { status: 404, message: 'Schema does not exist' },
  SchemaVersionDoesNotExist: { status: 404, message: 'The schema has no such version' },
  SchemaChangedMeanwhile: {
    status: 409,
    message: 'Somebody saved version {version} meanwhile. Look at what is different now, then save again.',
  },
  SchemaIncompatible: { status: 409, message: 'Line {line}: {reason} ({subject}, level {level})' },
  SchemaVersionExists: {
    status: 409,
    message: 'Version {version} has this content already, and a registry keeps a content once. Change something: a comment is enough.',
  },
  SchemaNotCreated: { status: 409, message: 'The schema is not registered. Re-run its pipeline, or discard it.' },
  SchemaIsReferencedBySchemas: { status: 409, message: 'Other schemas refer to this one' },
  StreamingPipelineRunning: { status: 409, message: 'A pipeline is changing it. Try again when that is through.' },
  TopicDoesNotExist: { status: 404, message: 'Topic does not exist' },
  TopicNotCreated: { status: 409, message: 'The topic is not there as a whole. Re-run its pipeline, or discard it.' },
  TopicNotOnCluster: { status: 409, message: 'The cluster has no topic {topic} any more. Compare its settings, and put it back.' },
  CompactNeedsKeySchema: { status: 400, message: 'Compaction keeps the newest message of each key, so the topic needs a key schema' },
  PartitionsCannotBeDecreased: { status: 400, message: 'Partitions cannot be taken away. The topic has {min}.' },
  TopicBelongsToOthers: {
    status: 409,
    message: 'The cluster has a topic {topic} that the platform did not make. Choose another name, or ask your operators to remove it.',
  },
  SubjectBelongsToOthers: {
    status: 409,
    message:
      'The registry has a subject {subject} that the platform did not make. Choose another name, or ask your operators to remove it.',
  },
  TopicHasReaders: { status: 409, message: 'Still in use: {readers}. Name everybody who may be cut off.' },
  NothingToReconcile: { status: 409, message: 'Nothing is different, or nothing of it can be settled this way' },
  MessageDoesNotExist: { status: 404, message: 'The topic keeps no message at this offset' },
  MessageCannotBeShown: { status: 409, message: '{reason}' },
  MessageInvalid: { status: 400, message: '{path} {reason}' },
  ProductionChangedMeanwhile: {
    status: 409,
    message: 'Production has changed since this was compared. Look at what differs now, then promote again',
  },
  PromotionFromDevelopment: { status: 409, message: 'Promotion goes from development to production' },
  DevelopmentOnly: { status: 409, message: 'Test messages can be produced in development only' },
  PartitionDoesNotExist: { status: 400, message: 'The topic has no such partition' },

  // Secrets. No text quotes a value.
  SecretVersionDoesNotExist: { status: 404, message: 'Secret group has no such version' },
  SecretKeyDoesNotExist: { status: 404, message: 'The secret group has no key of this name' },
  SecretGroupNotAttached: { status: 404, message: 'The secret group is not attached to this service' },
  LastSecretVersion: { status: 409, message: 'The last version of a secret group cannot be deleted' },
  SecretVersionConflict: { status: 409, message: 'Somebody made version {version} meanwhile. Look at it, then save again.' },
  InvalidSecretKey: {
    status: 400,
    message: 'A key starts with a letter or an underscore, and holds letters, numbers, underscores, dots and dashes alone',
  },
  DuplicateSecretKey: { status: 400, message: 'Every key may stand once' },
  SecretValueTooLarge: { status: 400, message: 'A value may have 64 KiB' },
  SecretVersionTooLarge: { status: 400, message: 'All values of a version together may have 1 MiB' },
  TooManySecretKeys: { status: 400, message: 'A secret group may have 500 keys' },
  SecretFileLineInvalid: { status: 400, message: 'Line {line} is no key with a value' },
  SecretFileNotFlat: { status: 400, message: 'Line {line}: only flat keys with texts, numbers, true and false can be read' },
  SecretFileUnclosed: { status: 400, message: 'The value that begins in line {line} does not end' },
  SecretFileInvalid: { status: 400, message: 'The file is not valid {format}' },
  AutomationCannotReveal: { status: 403, message: 'The administrator token of the environment cannot read secret values' },
  SecretUnreadable: {
    status: 500,
    message:
      'The secret cannot be read: what is stored was changed or moved, or its key is lost. Restore it from a backup, or set it anew.',
  },
  SecretVolumeNotReferenced: {
    status: 400,
    message: 'Secret volume refers to a secret that is not referenced in stack',
  },
  SecretKeyNotReferenced: {
    status: 400,
    message: 'Environment variable refers to a secret key that is not referenced in stack',
  },
  SecretFileFormatUnknown: { status: 400, message: 'Secret files are written as file, env, bash, powershell, json or yaml' },
  NothingToRestart: { status: 409, message: 'Every service runs with the newest version' },

  // The container registry: a project's content and its pull policy.
  RepositoryDoesNotExist: { status: 404, message: 'There is no such repository in the registry project' },
  TagDoesNotExist: { status: 404, message: 'There is no such tag in the repository' },
  TagInUse: { status: 409, message: 'A revision runs this image and needs it. {revision}' },
  RepositoryInUse: { status: 409, message: 'Revisions run images of this repository and need them. {revision}' },
  DuplicateCve: { status: 400, message: '{name} is allowed more than once' },
  CveExpiry: { status: 400, message: 'An allowed vulnerability needs an end, from today on and at most {max} days away' },
  ImageVulnerable: {
    status: 412,
    message: '{cve} ({severity}) is in {package}. The project refuses images from severity {from} on.',
  },
  ImagePartlyScanned: {
    status: 412,
    message: 'The image could not be checked wholly, and the project refuses vulnerable images. {detail}',
  },
  ImageNotScanned: { status: 412, message: 'The image has not been scanned, and the project refuses vulnerable images' },
  KeyRotationRunning: { status: 409, message: 'A rotation of the key is under way' },
  ScanMissing: { status: 409, message: 'The image has no scan to take it from. Scan it first.' },
  AdvisoriesInvalid: { status: 400, message: 'These are no advisories in the OSV format: {reason}' },
  AdvisoriesTooLarge: {
    status: 400,
    message: 'The import is larger than {limit}. Run slipway advisories import on the server, or import one ecosystem at a time.',
  },
  EngineUnavailable: {
    status: 503,
    message: 'The {engine} does not answer. Nothing was changed. Try again in a moment.',
  },
  PlatformDiskFull: {
    status: 507,
    message: 'The disk of the platform is full, so that nothing more can be kept. Nothing was changed. Tell your operators, and try again.',
  },

  // The catalog of applications, platforms, portfolios and products.
  EntryDoesNotExist: { status: 404, message: 'The catalog has no {kind} with this id' },
  EntryAlreadyExists: { status: 409, message: 'The catalog already has {value}' },
  EntryChanged: { status: 409, message: 'Someone changed this entry in the meantime. Reload it and try again.' },
  EntryNotActive: { status: 409, message: 'This is only possible for active entries' },
  EntryNotDecommissioned: { status: 409, message: 'Only a decommissioned entry can be put back' },
  NotCatalogueOwner: { status: 403, message: 'Only owners of this entry can do this' },
  NotCatalogueApprover: { status: 403, message: 'Only catalog approvers can do this' },
  OwnerNotInDirectory: { status: 400, message: '{value} is not in the company directory' },
  LastActiveOwner: { status: 409, message: 'An entry needs at least one owner who is active in the directory' },
  PlatformNotActive: { status: 400, message: 'The platform does not exist or is not active' },
  PortfolioNotActive: { status: 400, message: 'The portfolio does not exist or is not active' },
  PlatformHasApplications: { status: 409, message: 'The platform still has applications or products' },
  PortfolioHasPlatforms: { status: 409, message: 'The portfolio still has platforms' },
  ProductHasApplications: { status: 409, message: 'The product still has applications' },
  PlatformChangedMismatch: { status: 409, message: 'platformChanged does not match: compare platformId with the stored one' },
  ApplicationOfOtherPlatform: { status: 400, message: '{value} does not belong to the platform of the product' },
  ApplicationInOtherProduct: { status: 409, message: '{value} already belongs to another product' },
  DateInPast: { status: 400, message: 'Choose a date from tomorrow on' },
  DateInvalid: { status: 400, message: 'Enter a date as YYYY-MM-DD' },
  StatusNotSettable: { status: 400, message: 'The status cannot be set to {value} here' },
  ReasonRequired: { status: 400, message: 'Give a reason' },
  HeaderMismatch: { status: 409, message: 'The header differs from the id in the path' },
  UnsupportedVersion: { status: 400, message: 'This version of the call does not exist. Use 1 or 2.' },
  InvalidRange: { status: 400, message: 'The first date is after the last' },
  SearchTooShort: { status: 400, message: 'Enter at least 3 characters' },
  LabelDoesNotExist: { status: 404, message: 'There is no label with this id' },
  LabelAlreadyExists: { status: 409, message: 'A label with this name already exists' },
  OptionDoesNotExist: { status: 400, message: 'This option does not exist' },
  OptionInUse: { status: 409, message: 'Entries still use this option' },
  SavedSearchDoesNotExist: { status: 404, message: 'There is no saved search with this id' },
  TooManySavedSearches: { status: 409, message: 'You can save at most {max} searches' },
  MacIdNotActive: { status: 400, message: 'The application with this macId is not active' },
  MacIdNotLinked: { status: 409, message: 'No app is linked to this application' },
  OwnStanding: { status: 409, message: 'You cannot deactivate yourself. Ask another administrator.' },
  ImportDoesNotExist: { status: 404, message: 'There is no import with this id' },
  ImportUnreadable: { status: 400, message: 'The file cannot be read: {reason}' },
  ImportTooLarge: { status: 400, message: 'An import may have at most {limit}' },
  TooManyImports: { status: 409, message: 'You have {max} imports that are not done. Start or delete one first.' },
  ImportNotOpen: { status: 409, message: 'This import is not ready for that. Reload it and look at its state.' },
  ImportKindUnknown: { status: 400, message: 'The catalog has no kind for {value}' },
  ImportRowRepeated: { status: 409, message: 'Line {line} is about the same entry' },
  ImportRowFailed: { status: 500, message: 'The row could not be written. Tell your operators the id of the import and the line.' },
  SummaryInFuture: { status: 400, message: 'There is no summary for a month in the future' },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof errorCatalogue;
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code);

/** Codes that any route may answer in addition to its own. */
export const generalCodes: readonly ErrorCode[] = [
  'NotSignedIn',
  'TokenInvalid',
  'TokenScopeMissing',
  'BodyInvalid',
  'BodyTooDeep',
  'BodyKeyInvalid',
  'RequestInvalid',
  'MethodNotAllowed',
  'HeadersTooLarge',
  'TooManyRequests',
  'TooManyStreams',
  'PayloadTooLarge',
  'IdempotencyKeyReused',
  'WrongHost',
  'EngineUnavailable',
  'PlatformDiskFull',
  'INTERNAL_APPLICATION_ERROR',
  'MISSING_RESOURCE',
];

/** Fills in a template: `'Team {team}'`, `{ team: 'x' }` → `'Team x'`. A missing value becomes the empty string. */
export const fill = (template: string, context: Readonly<Record<string, string>> = {}): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => context[name] ?? '');

/** Returns the catalogue's text for a code, or the empty string for an unknown code (specification, message lookup). */
export const messageOf = (code: string, context: Readonly<Record<string, string>> = {}): string =>
  isErrorCode(code) ? fill(errorCatalogue[code].message, context) : '';

/** One entry of the error object's list. Without `field` the entry concerns the whole request. */
export interface FieldError {
  readonly field?: string;
  readonly code: string;
  readonly context?: Readonly<Record<string, string>>;
}
/** The specification's error object in the shape of RFC 9457. */
export interface ErrorObject {
  readonly status: number;
  readonly title: string;
  readonly traceId?: string;
  readonly errors: readonly FieldError[];
  readonly detail?: string;
  readonly name?: string;
  /** `name` and `detail` under the names of the specification's second part. */
  readonly code?: string;
  readonly message?: string;
}
