/** People and service accounts, and the data that a signed-in identity can read about itself. */
import * as z from 'zod/mini';
import { DisplayName, Instant, PageQuery, pageCodes, pageOf, numberCodes } from './kernel/fields.ts';
import { routesIn } from './kernel/kernel.ts';
import { synchronous, resource } from './resource.ts';
import { apiTokenKind } from './kinds/identity.kind.ts';

export const Identity = z.object({
  id: z.string(),
  displayName: z.string(),
  email: z.nullable(z.string()),
  provider: z.string(),
  type: z.enum(['USER', 'SERVICE_ACCOUNT']),
});
export type Identity = z.infer<typeof Identity>;

export const Me = z.extend(Identity, {
  isAdministrator: z.boolean(),
  /** Ids of the teams that the identity is a member of, and of the teams that it owns. */
  teamRefs: z.array(z.string()),
  ownedTeamRefs: z.array(z.string()),
});
export type Me = z.infer<typeof Me>;

export const tokenScopes = ['read', 'write', 'git', 'registry'] as const;
export const TokenScope = z.enum(tokenScopes);
export type TokenScope = z.infer<typeof TokenScope>;

export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(TokenScope),
  createdAt: Instant,
  expiresAt: Instant,
  lastUsedAt: z.nullable(Instant),
  /** The token that created this token and whose end also ends it. Null if the token was created after signing in. */
  parent: z.nullable(z.object({ id: z.string(), name: z.string() })),
});
export type ApiToken = z.infer<typeof ApiToken>;
/** The token value is returned only once. */
export const IssuedApiToken = z.extend(ApiToken, { token: z.string() });

export const ApiTokenCreate = z.object({
  name: DisplayName,
  scopes: z.array(TokenScope).check(z.minLength(1, { error: 'Required' })),
  expiresInDays: z._default(z.number({ error: 'NotANumber' }).check(z.int({ error: 'NotAnInteger' }), z.minimum(1), z.maximum(365)), 30),
});

const tokenCodes = [...numberCodes, 'Required', 'ExceedsMaximumLength', 'InvalidValue', 'TokenScopeMissing'] as const;

const tag = 'Me';
const route = routesIn({ tag: 'Identities', access: 'signedIn' });
export const meView = route('meView', 'GET /api/v1/me', {
  summary: 'The signed-in identity',
  tag,
  response: Me,
  codes: [],
});
export const mePhoto = route('mePhoto', 'GET /api/v1/me/photo', {
  summary: 'Profile photo; 404 where there is none',
  tag,
  stream: 'bytes',
  mediaTypes: ['image/*'],
  codes: ['MISSING_RESOURCE'],
});
const made = resource({
  kind: apiTokenKind,
  id: 'meToken',
  tag,
  path: '/api/v1/me/tokens',
  name: 'tokenId',
  view: ApiToken,
  create: ApiTokenCreate,
  update: z.never(),
  query: z.object({}),
  access: { read: 'signedIn', create: 'signedIn', write: 'signedIn' },
  codes: { missing: 'ApiTokenDoesNotExist', taken: 'TooManyApiTokens', form: tokenCodes, kept: [] },
  summaries: {
    list: 'Own API tokens',
    create: 'Create an API token; its secret is answered once. Made with a token, it ends with that one at the latest',
    remove: 'Revoke an API token',
  },
});
const { query: _, ...whole } = made.list;
/** Lists all tokens without pages, because nobody has many. There is no route for a single token. */
export const meTokenResource = {
  shape: made.shape,
  list: { ...whole, response: z.array(ApiToken), codes: [] },
  create: { ...synchronous(made.create, IssuedApiToken), isSecret: 'answer' },
  remove: synchronous(made.remove),
} as const;
export const { list: meTokenList, create: meTokenCreate, remove: meTokenDelete } = meTokenResource;

export const meSessionsDelete = route('meSessionsDelete', 'DELETE /api/v1/me/sessions', {
  summary: 'Sign out everywhere: end own sign-ins in all browsers. API tokens stay',
  tag,
  codes: [],
});

export const userSearch = route('userSearch', 'GET /api/v1/users', {
  summary: 'Find people by name or e-mail; three characters at least',
  query: z.object({
    query: z.string({ error: 'Required' }).check(z.trim(), z.minLength(3, { error: 'QueryTooShort' }), z.maxLength(100)),
  }),
  response: z.array(Identity),
  codes: ['QueryTooShort', 'Required', 'ExceedsMaximumLength', 'InvalidValue'],
});

export const identityList = route('identityList', 'GET /api/team-service/identities/v1', {
  summary: 'Identities, of a team or by text; three characters at least without a team',
  query: z.extend(PageQuery, { teamId: z.optional(z.string()) }),
  response: pageOf(Identity),
  codes: [...pageCodes, 'QueryTooShort'],
});
export const identityView = route('identityView', 'GET /api/team-service/identities/v1/{identityId}', {
  summary: 'One identity',
  response: Identity,
  codes: ['AzureADAzureADUserDoesNotExist', 'AzureADServicePrincipalDoesNotExist'],
});

export const serviceAccountCreate = route('serviceAccountCreate', 'POST /api/v1/teams/{team}/service-accounts', {
  summary: 'Create a service account that belongs to the team, with its first token',
  access: 'teamOwner',
  body: z.object({ displayName: DisplayName }),
  response: z.object({ identity: Identity, token: IssuedApiToken }),
  isSecret: 'answer',
  status: 201,
  codes: ['Required', 'ExceedsMaximumLength', 'TeamDoesNotExist', 'NotAnOwner'],
});
export const serviceAccountTokenCreate = route(
  'serviceAccountTokenCreate',
  'POST /api/v1/teams/{team}/service-accounts/{identityId}/tokens',
  {
    summary: "Create a further token for a service account of the team; for owners of all of the account's teams",
    access: 'teamOwner',
    body: ApiTokenCreate,
    response: IssuedApiToken,
    isSecret: 'answer',
    status: 201,
    codes: [...tokenCodes, 'TeamDoesNotExist', 'NotAnOwner', 'AzureADAzureADUserDoesNotExist', 'AzureADServicePrincipalDoesNotExist'],
  },
);
