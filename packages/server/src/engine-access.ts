/** Access of people and service accounts to the embedded git host and registry: any user name, with an API token as the password. */
import { isAgentAccount, type AgentAccount } from '@slipway/runtime/local/agent/pull-token.ts';
import { appOfNode, type PullAccess } from '#adapters/runtime-kubernetes/pull-access.ts';
import type { GitUser } from '@slipway/git/git-http.ts';
import type { RegistrySubject } from '@slipway/registry/sign-in/accounts.ts';
import type { EmbeddedRegistryOptions } from '@slipway/registry/embedded-registry.ts';
import type { RegistrySignIn } from '@slipway/schemas/registry/rest/caller.ts';
import type { Database } from '#db/database.ts';
import { callerOfToken } from '#kernel/auth/api-token.ts';
import { loadCaller } from '#kernel/auth/callers.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { appFacts } from '#modules/apps/index.ts';
import { enqueueEmbeddedEvent, imageRules } from '#modules/container-registry/index.ts';
import { verifyAccount } from '#modules/streaming/index.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { RepositoryRef } from '#ports/source.ts';

const callerOf = async ({ pool }: Database, password: string, scope: 'git' | 'registry'): Promise<Caller | undefined> => {
  const caller = await callerOfToken(pool, password);
  return caller?.scopes.has(scope) ? caller : undefined;
};

/** Every signed-in identity may read source, like apps. Pushing requires membership in the app's team (decisions §2). */
export const gitAccess =
  (database: Database) =>
  async (
    _username: string,
    password: string,
    ref: RepositoryRef,
    access: 'read' | 'write',
  ): Promise<GitUser | 'unauthenticated' | 'forbidden' | 'notFound'> => {
    const caller = await callerOf(database, password, 'git');
    if (!caller) return 'unauthenticated';
    const app = await appFacts(database.db, ref.owner);
    if (!app) return 'notFound';
    if (access === 'write' && memberRule(caller, app.teamId) !== true) return 'forbidden';
    return { id: caller.id, displayName: caller.displayName };
  };

const registrySubject = (database: Database, caller: Caller | undefined): RegistrySubject | undefined =>
  caller && {
    name: caller.id,
    actions: async (project) => {
      const app = await appFacts(database.db, project);
      if (!app) return [];
      return memberRule(caller, app.teamId) === true ? ['pull', 'push', 'delete'] : [];
    },
  };

/** The node agent of this server may pull every image. */
const agentSubject = ({ username }: AgentAccount): RegistrySubject => ({ name: username, actions: async () => ['pull'] });

/** The nodes of a cluster may pull the images of the app whose credential they show. */
const nodeSubject = (name: string, app: string): RegistrySubject => ({
  name,
  actions: async (project) => (project === app ? ['pull'] : []),
});

/** Answers the registry's questions: who a password or the name in a signed token belongs to, and what may be done with an image. */
export const registryAccess = (
  database: Database,
  agent?: AgentAccount,
  nodes?: PullAccess,
): Pick<EmbeddedRegistryOptions, 'authenticate' | 'findSubject' | 'onEvent' | 'rules'> => ({
  rules: imageRules(database.db),
  onEvent: enqueueEmbeddedEvent,
  authenticate: async (username, password) => {
    if (agent && isAgentAccount(agent, { username, secret: password })) return agentSubject(agent);
    const app = nodes?.appOf({ username, password });
    if (app !== undefined) return nodeSubject(username, app);
    return registrySubject(database, await callerOf(database, password, 'registry'));
  },
  findSubject: async (name) => {
    if (agent && name === agent.username) return agentSubject(agent);
    const app = nodes && appOfNode(name);
    if (app !== undefined) return nodeSubject(name, app);
    return registrySubject(database, await loadCaller(database.pool, name, { origin: 'token', scopes: new Set(['registry']) }));
  },
});

/**
 * Authenticates callers of the schema registry's HTTP API. Every signed-in identity (decisions §2) and accounts of topics may read
 * definitions. The platform registers changes of teams after its own check. Administrators may write directly, for example to import
 * schemas.
 */
export const schemaRegistrySignIn = ({ pool, db }: Database): RegistrySignIn => ({
  token: async (token) => {
    const caller = await callerOfToken(pool, token);
    if (!caller?.scopes.has('read')) return undefined;
    return { name: caller.displayName, mayWrite: caller.isAdministrator && caller.scopes.has('write') };
  },
  account: async (environment, user, password) => {
    const account = await verifyAccount(db, environment, user, password);
    return account && { name: account.user, mayWrite: false };
  },
});
