/** Creates the demo's content through the product's API: two teams and three apps, one of them with a second deploy. */
import { setTimeout as delay } from 'node:timers/promises';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { applicationCreate } from '@slipway/contract/application.ts';
import type { BodyInput, ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { isActive, pipelineView } from '@slipway/contract/pipeline/pipeline.ts';
import { pathOf } from '@slipway/contract/kernel/kernel.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { serviceDeploy, serviceView } from '@slipway/contract/service/service.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import type { Log } from '#ports/log.ts';

type Send = <R extends RouteShape>(route: R, options: { params?: Record<string, string>; body?: BodyInput<R> }) => Promise<ResponseOf<R>>;

const sender =
  (baseUrl: string, token: string): Send =>
  async (route, { params, body }) => {
    const answer = await fetch(`${baseUrl}${pathOf(route, params)}`, {
      method: route.method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${route.id}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as ResponseOf<typeof route>;
  };

const finished = async (send: Send, { pipelineId }: { readonly pipelineId: string }): Promise<void> => {
  for (;;) {
    const { status } = await send(pipelineView, { params: { pipelineId } });
    if (!isActive(status.state)) return;
    await delay(250);
  }
};

export const demoScript = async (baseUrl: string, tokenFor: (identity: string) => Promise<string>, log: Log): Promise<void> => {
  const ingrid = sender(baseUrl, await tokenFor('ingrid.solheim'));
  const sofia = sender(baseUrl, await tokenFor('sofia.marin'));
  await finished(
    ingrid,
    await ingrid(teamCreate, {
      body: {
        id: 'terminal-operations',
        displayName: 'Terminal Operations',
        ownerIds: ['ingrid.solheim'],
        memberIds: ['rahul.deshmukh', 'jonas.lindqvist'],
      },
    }),
  );
  await finished(
    sofia,
    await sofia(teamCreate, {
      body: { id: 'commercial-finance', displayName: 'Commercial Finance', ownerIds: ['sofia.marin'], memberIds: ['kwame.boateng'] },
    }),
  );
  await finished(
    ingrid,
    await ingrid(quickstartApplicationCreate, {
      body: { id: 'berth-planner', displayName: 'Berth Planner', teamId: 'terminal-operations', template: 'node-web' },
    }),
  );
  await finished(
    sofia,
    await sofia(quickstartApplicationCreate, {
      body: { id: 'tariff-engine', displayName: 'Tariff Engine', teamId: 'commercial-finance', template: 'node-http-api' },
    }),
  );
  await finished(
    ingrid,
    await ingrid(applicationCreate, {
      body: { id: 'gate-appointments', displayName: 'Gate Appointments', teamId: 'terminal-operations', macId: 'MAC-10085' },
    }),
  );
  const rahul = sender(baseUrl, await tokenFor('rahul.deshmukh'));
  const params = { app: 'berth-planner', env: 'development', service: 'berth-planner' };
  const { status } = await rahul(serviceView, { params });
  if (status.imageTag) await finished(rahul, runOf(await rahul(serviceDeploy, { params, body: { imageTag: status.imageTag } })));
  log.info({}, 'The demo teams and apps are made');
};
