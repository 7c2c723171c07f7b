/** The main use case over HTTP alone: creates a running service from scratch, and removes everything on failure. */
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { testApp, type TestApp } from '#testing/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const ended = async (pipelineId: string): Promise<PipelineRun> => {
  for (;;) {
    const run = (await app.call('member', pipelineView, { params: { pipelineId } })).body as PipelineRun;
    if (!isActive(run.status.state)) return run;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Node does not resolve *.localhost (decisions §11). */
const get = (url: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { host, pathname } = new URL(url);
    http
      .get({ host: '127.0.0.1', port: app.ingressPort, path: pathname, headers: { host } }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      })
      .on('error', reject);
  });

test('quickstartApplicationCreate makes an app whose URL answers', async () => {
  const body = { id: 'yard-planner', displayName: 'Yard planner', teamId: 'cranes', template: 'node-http-api' };
  const started = await app.call('member', quickstartApplicationCreate, { body });
  expect(started.status).toBe(202);
  const run = await ended((started.body as PipelineRun).pipelineId);
  expect(run.statusMessage).toBeNull();
  expect(run.status.state).toBe('COMPLETED');
  const service = (await app.call('member', serviceView, { params: { app: 'yard-planner', env: 'development', service: 'yard-planner' } }))
    .body as Service;
  expect(service.status).toMatchObject({ health: 'HEALTHY', replicasReady: 1 });
  const answer = await get(`${service.status.url}healthz`);
  expect(answer.status).toBe(200);
});
