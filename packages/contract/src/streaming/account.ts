/**
 * Accounts: the logins of an app's programs for Kafka. An account lists the topics that it writes and reads. The platform creates the user
 * and exactly the access rules that its grants allow (streaming §5). No answer except `accountPasswordTake` contains a password.
 */
import * as z from 'zod/mini';
import { Can, Environment, Instant, PageQuery, nameCodes } from '../kernel/fields.ts';
import { resource } from '../resource.ts';
import { withPlans } from '../pipeline/plan.ts';
import { SecretGroupName } from '../secret/secret-group.ts';
import { accountKind } from '../kinds/account.kind.ts';
import { GrantState, TopicReference, grantBases } from './grant.ts';
import { SchemaType } from './schema.ts';
import { EnvironmentClass, Person, streamingName } from './streaming.ts';

export const AccountName = streamingName('AccountNameRequired');
export const saslMechanism = 'SCRAM-SHA-512';
/** Keys of its secret group. The certificate authority and the schema registry are included only if the environment has them. */
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
/** `{app}-{account}-kafka`, shortened if too long: the group name that forms suggest. */
export const accountGroupName = (app: string, account: string): string => {
  const room = 63 - account.length - '--kafka'.length;
  return room < 2 ? `${account.slice(0, 57)}-kafka` : `${app.slice(0, room).replace(/-+$/, '')}-${account}-kafka`;
};

/** A topic that the account lists, with the state of its grant. */
export const AccountTopic = z.object({
  /** Id of the topic. */
  resourceId: z.string(),
  resourceType: z.literal('TOPIC'),
  /** The app that owns the topic. */
  applicationCode: z.string(),
  name: z.string(),
  /** Name on the cluster, which programs use. */
  topicName: z.string(),
  /** Schema of the values, from the topic's app. Null if there no longer is one. */
  valueSchema: z.nullable(z.object({ name: z.string(), type: SchemaType })),
  /** Id of the account's grant. */
  grant: z.string(),
  state: GrantState,
  basis: z.nullable(z.enum(grantBases)),
  /** When the grant entered its state. */
  since: Instant,
  /** The person who decided. Null if a rule decided, or if the decision is pending. */
  decidedBy: z.nullable(z.string()),
  /** The comment on the decision. */
  decision: z.nullable(z.string()),
});
export type AccountTopic = z.infer<typeof AccountTopic>;

export const accountStates = ['ACTIVE', 'CREATING', 'NOT_CREATED', 'DELETING'] as const;
export const Account = z.object({
  /** Row id. Paths accept the id as well as the name. */
  id: z.string(),
  name: z.string(),
  applicationCode: z.string(),
  environmentClass: Environment,
  description: z.string(),
  produceTopics: z.array(AccountTopic),
  consumeTopics: z.array(AccountTopic),
  state: z.enum(accountStates),
  /** User name on the cluster: `{app}.{account}`. Rotation alternates with the same name plus `~2`. */
  user: z.string(),
  /** Prefix of the account's consumer groups. */
  groupPrefix: z.string(),
  /** Null until the account is created. */
  connection: z.nullable(
    z.object({
      bootstrapServers: z.array(z.string()),
      securityProtocol: z.enum(['SASL_PLAINTEXT', 'SASL_SSL']),
      mechanism: z.string(),
      /** PEM of the authority that signed the brokers' certificates, if it is not in system trust stores. Null otherwise. */
      certificateAuthority: z.nullable(z.string()),
      schemaRegistryUrl: z.nullable(z.string()),
    }),
  ),
  /** Null until they are created. */
  credentials: z.nullable(
    z.object({
      changedAt: Instant,
      changedBy: z.string(),
      /** The group with the password. Null if the platform does not store it. */
      secretGroup: z.nullable(z.object({ name: z.string(), version: z.number() })),
      /** The previous user, whose password works until `endsAt`. */
      former: z.nullable(z.object({ user: z.string(), endsAt: Instant })),
      /** The person who may still view the new password, once. Null if nobody can. */
      waiting: z.nullable(z.object({ forId: z.string(), forName: z.string(), until: Instant })),
    }),
  ),
  status: z.object({
    /** The pipeline that created or last changed the account; its page shows progress and failure. */
    pipelineId: z.nullable(z.string()),
    isBusy: z.boolean(),
    /** Result of the last comparison with the cluster. UNKNOWN if there was none or it is not possible. */
    drift: z.enum(['NONE', 'DRIFT', 'UNKNOWN']),
    comparedAt: z.nullable(Instant),
  }),
  createdAt: Instant,
  createdBy: Person,
  /** Verbs: update, delete, rotate, endFormerPassword, takePassword, repair. */
  can: Can,
});
export type Account = z.infer<typeof Account>;

/** An account before or after a change, with its grants at that time. Grants that the change adds are missing before. */
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
  /** Shown to the teams that decide about their topics. */
  reason: z.optional(Text),
};
/** Both lists are complete: topics that are missing are given up. */
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
  /** Secret group that the platform creates with everything a client needs. Without it the password is shown once. */
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
    form: [...nameCodes, 'TopicDoesNotExist', 'TopicNotShared', 'DuplicateTopic'],
    kept: ['StreamingPipelineRunning', 'SecretIsReferencedInAtLeastOneStack'],
  },
  summaries: {
    list: 'Accounts of an app in one environment',
    create: 'Create an account with its user and access rules; topics of other teams are asked for',
    update: 'Change description and topics: a pipeline makes the access rules match',
    remove: 'Delete an account with its rules and users; discards one that was not created',
  },
});
export const accountResource = withPlans(made, {
  fieldLabel: accountFieldLabel,
  create: ['AccountNameRequired', 'LowercaseLetters', 'SecretGroupAlreadyExists', 'ApplicationNotCreated'],
  update: ['StreamingPipelineRunning', 'AccountNotCreated', 'NothingChanged'],
});
export const {
  list: accountList,
  view: accountView,
  create: accountCreate,
  update: accountUpdate,
  remove: accountDelete,
} = accountResource;

/** Shared by the other routes of a single account. */
export const accountOne = `${base}/{account}` as const;
export const accountShared = { tag: 'Accounts', access } as const;
export const accountOneCodes = [...above, 'AccountDoesNotExist'] as const;
export const accountStartCodes = [
  ...accountOneCodes,
  'AccountNotCreated',
  'StreamingPipelineRunning',
  'WorkflowExecutionAlreadyStarted',
] as const;
