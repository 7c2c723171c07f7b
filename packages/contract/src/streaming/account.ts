/**
 * Accounts: what an app's programs sign in to Kafka with. An account names the topics that it writes and reads; the platform makes the user
 * and exactly the access rules that its grants allow (streaming §5). No answer but `accountPasswordTake` ever holds a password.
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery } from '../kernel/fields.ts';
import { resource } from '../kernel/resource.ts';
import { planned } from '../pipeline/plan.ts';
import { SecretGroupName } from '../secret/secret-group.ts';
import { accountKind } from './account.kind.ts';
import { GrantState, TopicReference, grantBases } from './grant.ts';
import { SchemaType } from './schema.ts';
import { EnvironmentClass, Person, streamingName } from './streaming.ts';

export const AccountName = streamingName('AccountNameRequired');
export const saslMechanism = 'SCRAM-SHA-512';
/** The keys of its secret group, as far as there is something to say: the authority of the brokers' certificates, and a registry, are not everywhere. */
export const accountSecretKeys = [
  'KAFKA_BOOTSTRAP_SERVERS',
  'KAFKA_USERNAME',
  'KAFKA_PASSWORD',
  'KAFKA_SASL_MECHANISM',
  'KAFKA_SECURITY_PROTOCOL',
  'KAFKA_GROUP_PREFIX',
  'KAFKA_CA_CERTIFICATE',
  'SCHEMA_REGISTRY_URL',
  'SCHEMA_REGISTRY_USERNAME',
  'SCHEMA_REGISTRY_PASSWORD',
] as const;
/** `{app}-{account}-kafka`, cut where it is too long: what forms offer for the group. */
export const accountGroupName = (app: string, account: string): string => {
  const room = 63 - account.length - '--kafka'.length;
  return room < 2 ? `${account.slice(0, 57)}-kafka` : `${app.slice(0, room).replace(/-+$/, '')}-${account}-kafka`;
};

/** A topic that the account lists, and how far its grant is. */
export const AccountTopic = z.object({
  /** Id of the topic. */
  resourceId: z.string(),
  resourceType: z.literal('TOPIC'),
  /** The app that owns it. */
  applicationCode: z.string(),
  name: z.string(),
  /** As the cluster knows it; programs name it so. */
  topicName: z.string(),
  /** Of its values; a schema of the same app. Null where it has none any more. */
  valueSchema: z.nullable(z.object({ name: z.string(), type: SchemaType })),
  /** Id of its grant. */
  grant: z.string(),
  state: GrantState,
  basis: z.nullable(z.enum(grantBases)),
  /** Of the state. */
  since: Instant,
  /** Who decided; null where a rule did, or nobody has yet. */
  decidedBy: z.nullable(z.string()),
  /** What was said with the decision. */
  decision: z.nullable(z.string()),
});
export type AccountTopic = z.infer<typeof AccountTopic>;

export const accountStates = ['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING'] as const;
export const Account = z.object({
  /** Of the row; it is an address, too, where the name is one. */
  id: z.string(),
  name: z.string(),
  applicationCode: z.string(),
  environmentClass: Environment,
  description: z.string(),
  produceTopics: z.array(AccountTopic),
  consumeTopics: z.array(AccountTopic),
  state: z.enum(accountStates),
  /** On the cluster: what programs sign in as. `{app}.{account}`, with `~2` where that one's turn is. */
  user: z.string(),
  /** Reader groups of the account begin with it. */
  groupPrefix: z.string(),
  /** Null until it is made. */
  connection: z.nullable(
    z.object({
      bootstrapServers: z.array(z.string()),
      securityProtocol: z.enum(['SASL_PLAINTEXT', 'SASL_SSL']),
      mechanism: z.string(),
      /** PEM of who signed the brokers' certificates, where it is none that every machine knows; null otherwise. */
      certificateAuthority: z.nullable(z.string()),
      schemaRegistryUrl: z.nullable(z.string()),
    }),
  ),
  /** Null until it is made. */
  credentials: z.nullable(
    z.object({
      changedAt: Instant,
      changedBy: z.string(),
      /** Where the password is kept; null: nowhere in the platform. */
      secretGroup: z.nullable(z.object({ name: z.string(), version: z.number() })),
      /** The user before, whose password works until its end. */
      former: z.nullable(z.object({ user: z.string(), endsAt: Instant })),
      /** Somebody may still take the new password, once; null where nobody can. */
      waiting: z.nullable(z.object({ forId: z.string(), forName: z.string(), until: Instant })),
    }),
  ),
  status: z.object({
    /** The pipeline that made or changed it last; its page shows progress and failure. */
    pipelineId: z.nullable(z.string()),
    isBusy: z.boolean(),
    /** What was seen when the cluster was last compared; UNKNOWN where that was never, or is not possible. */
    drift: z.enum(['NONE', 'DRIFT', 'UNKNOWN']),
    comparedAt: z.nullable(Instant),
  }),
  createdAt: Instant,
  createdBy: Person,
  /** Verbs: update, delete, rotate, endFormerPassword, takePassword, repair. */
  can: Can,
});
export type Account = z.infer<typeof Account>;

/** An account before or after a change: what its grants are then. A grant that the change adds is not listed before. */
export interface AccountSide {
  readonly description: string;
  readonly grants: readonly { readonly id: string; readonly state: GrantState; readonly isListed: boolean }[];
}

export const maxAccountTopics = 200;
const Topics = z.array(TopicReference, { error: 'Required' }).check(z.maxLength(maxAccountTopics, { error: 'ExceedsMaximumLength' }));
const Text = z.string({ error: 'Required' }).check(z.trim(), z.maxLength(500, { error: 'ExceedsMaximumLength' }));
const settings = {
  description: Text,
  produceTopics: Topics,
  consumeTopics: Topics,
  /** For the teams that decide on topics of theirs. */
  reason: z.optional(Text),
};
/** Both lists are said whole: what is not named any more is given up. */
export const AccountUpdate = z.object(settings);
export type AccountUpdate = z.output<typeof AccountUpdate>;
export const AccountCreate = z.object({
  ...settings,
  description: z._default(Text, ''),
  produceTopics: z._default(Topics, []),
  consumeTopics: z._default(Topics, []),
  name: AccountName,
  environmentClass: EnvironmentClass,
  applicationCode: z.optional(z.string()),
  /** A group that the platform makes with everything a client needs. Without it the password is shown once. */
  secretGroup: z.optional(SecretGroupName),
});
export type AccountCreate = z.output<typeof AccountCreate>;

export const accountLabels: Readonly<Record<string, string>> = {
  name: 'Account name',
  description: 'Description',
  produceTopics: 'Topics that it writes',
  consumeTopics: 'Topics that it reads',
  secretGroup: 'Secret group',
  reason: 'Reason',
};
export const accountFieldLabel = (field: string): string | undefined => accountLabels[field];

const base = '/api/v1/apps/{app}/{env}/accounts';
const access = 'appMemberHidden';
const above = ['ApplicationDoesNotExists', 'EnvironmentDoesNotExist'] as const;
const made = resource({
  kind: accountKind,
  path: base,
  name: 'account',
  view: Account,
  create: AccountCreate,
  update: AccountUpdate,
  query: PageQuery,
  access: { read: access, create: access, write: access },
  codes: {
    above,
    missing: 'AccountDoesNotExist',
    taken: 'ACCOUNT_WITH_GIVEN_NAME_ALREADY_EXISTS',
    form: [
      'Required',
      'InvalidValue',
      'InvalidName',
      'KebabCase',
      'MinimumLength',
      'ExceedsMaximumLength',
      'TopicDoesNotExist',
      'TopicNotShared',
      'DuplicateTopic',
    ],
    kept: ['StreamingPipelineRunning', 'SecretIsReferencedInAtLeastOneStack'],
  },
  summaries: {
    list: 'Accounts of an app in one environment',
    create: 'Create an account with its user and access rules; topics of other teams are asked for',
    update: 'Change description and topics: a pipeline makes the access rules match',
    remove: 'Delete an account with its rules and users; discards one that was not created',
  },
});
export const accountResource = {
  ...made,
  create: {
    ...planned(made.create),
    fieldLabel: accountFieldLabel,
    codes: [...made.create.codes, 'AccountNameRequired', 'LowercaseLetters', 'SecretGroupAlreadyExists', 'ApplicationNotCreated'],
  },
  update: {
    ...planned(made.update),
    fieldLabel: accountFieldLabel,
    codes: [...made.update.codes, 'StreamingPipelineRunning', 'AccountNotCreated', 'NothingChanged'],
  },
  remove: planned(made.remove),
} as const;
export const {
  list: accountList,
  view: accountView,
  create: accountCreate,
  update: accountUpdate,
  remove: accountDelete,
} = accountResource;

/** What the other routes of one account have in common with these. */
export const accountOne = `${base}/{account}` as const;
export const accountShared = { tag: 'Accounts', access } as const;
export const accountOneCodes = [...above, 'AccountDoesNotExist'] as const;
export const accountStartCodes = [
  ...accountOneCodes,
  'AccountNotCreated',
  'StreamingPipelineRunning',
  'WorkflowExecutionAlreadyStarted',
] as const;
