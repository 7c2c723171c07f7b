/**
 * Path parameters that areas register with the mount: the innermost resource decides access, and each missing resource has its own code.
 */
import fastify from 'fastify';
import * as z from 'zod/mini';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { route } from '@slipway/contract/kernel/kernel.ts';
import { FloodGate } from './flood-gate.ts';
import { handle, type Caller } from './handle.ts';
import { mountRoutes, type Scope } from './mount.ts';
import { Problem } from '#kernel/problem.ts';

const shape = <const Path extends string>(id: string, path: Path) =>
  route({
    id,
    method: 'GET',
    path,
    summary: id,
    tag: 'Barges',
    access: 'appMember',
    response: z.object({ team: z.string(), barge: z.string() }),
    codes: ['MISSING_RESOURCE', 'ApplicationDoesNotExists', 'NotAMember'],
  });
const scopeOf = (name: string, owners: Readonly<Record<string, string>>, missing: Scope['missing']): Scope => ({
  find: async (params) => {
    const team = owners[params[name] ?? ''];
    return team === undefined ? undefined : { teamId: team, teamName: `Team ${team}` };
  },
  missing,
});
const caller: Caller = {
  id: 'mats',
  displayName: 'Mats',
  email: null,
  type: 'USER',
  provider: 'x',
  origin: 'console',
  scopes: new Set(['read']),
  isAutomation: false,
  isAdministrator: false,
  memberOf: new Set(['cranes']),
  ownerOf: new Set(),
};
const server = fastify();

beforeAll(async () => {
  server.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Problem)) throw error;
    return reply.status(error.status).send({ code: error.code, errors: error.errors });
  });
  const handlers = [
    handle(shape('bargeView', '/quays/{quay}/barges/{barge}'), async (c) => ({ team: c.owner.teamId, barge: c.params.barge })),
    handle(shape('bargeFind', '/barges/{barge}/{unknown}'), async (c) => ({ team: c.owner.teamId, barge: c.params.barge })),
  ];
  mountRoutes(server, handlers, {
    log: { debug() {}, info() {}, warn() {}, error() {} },
    authenticate: async () => caller,
    scopes: {
      quay: scopeOf('quay', { north: 'customs', south: 'cranes' }, 'ApplicationDoesNotExists'),
      barge: scopeOf('barge', { tug: 'cranes', ferry: 'customs' }, 'MISSING_RESOURCE'),
    },
    idempotency: { once: (_request, work) => work(), past: async () => undefined, made: async () => [] },
    runOf: async () => undefined,
    floods: new FloodGate(),
    isStrict: true,
  });
  await server.ready();
});
afterAll(() => server.close());

test.each([
  ['the owner of the innermost may', '/quays/north/barges/tug', 200, { team: 'cranes', barge: 'tug' }],
  ['and nobody else', '/quays/south/barges/ferry', 403, { code: 'NotAMember', errors: [{ context: { team: 'Team customs' } }] }],
  ['what is around it has to be there', '/quays/east/barges/tug', 404, { code: 'ApplicationDoesNotExists' }],
  ['and it itself', '/quays/north/barges/raft', 404, { code: 'MISSING_RESOURCE' }],
  ['a name that nobody registered is a name', '/barges/tug/toString', 200, { team: 'cranes', barge: 'tug' }],
])('%s', async (_name, url, status, body) => {
  const answer = await server.inject(url);
  expect([answer.statusCode, answer.json()]).toMatchObject([status, body]);
});
