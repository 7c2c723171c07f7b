/** Routes for clients of a service: a new password for basic authentication, and tokens for the edge. */
import { serviceAccessTokenCreate, serviceAudience, serviceBasicAuthRotate } from '@slipway/contract/service/service-access.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { currentEdgeCredential, rotateEdgeCredential, type SecretDeps } from '#modules/secret-groups/index.ts';
import type { ServiceTokens } from '#ports/service-tokens.ts';
import { requireService } from './service-context.ts';
import { serviceSubject, type ServiceKey } from './services.sql.ts';

export interface AccessDeps extends SecretDeps {
  /** Undefined with an external identity provider, which then issues the tokens. */
  readonly tokens: ServiceTokens | undefined;
}

type Path = { params: { app: string; service: string }; environment: ServiceKey['environment'] };
const keyOf = (c: Path): ServiceKey => ({ app: c.params.app, environment: c.environment, service: c.params.service });

export const serviceAccessRoutes = ({ db, vault, tokens }: AccessDeps): Handler[] => [
  handle(
    serviceBasicAuthRotate,
    async (c) => {
      const service = await requireService(db, keyOf(c));
      const edge = service.edge ?? service.spec;
      if (edge.externalTrafficAuthentication !== 'BASIC_AUTH') throw new Problem('BasicAuthNotInUse');
      return rotateEdgeCredential({ db, vault }, { app: { id: c.params.app, ...c.owner }, caller: c.caller }, keyOf(c));
    },
    (c) => currentEdgeCredential(db, keyOf(c)),
  ),
  handle(serviceAccessTokenCreate, async (c) => {
    const { app, environment, service } = keyOf(c);
    await requireService(db, keyOf(c));
    const audience = serviceAudience(app, environment, service);
    if (!tokens) throw new Problem('AccessTokenNotOffered', { context: { audience } });
    const { token, expiresAt } = await tokens.create(c.caller, audience);
    await recordWrite(db, c.caller, {
      type: 'serviceAccessTokenCreate',
      reason: 'Created',
      message: `${c.caller.displayName} made a token to call ${service} with, good until ${expiresAt.toISOString()}`,
      subject: await serviceSubject(db, keyOf(c)),
      after: { audience, expiresAt: expiresAt.toISOString() },
    });
    return { token, audience, expiresAt: expiresAt.toISOString() };
  }),
];
